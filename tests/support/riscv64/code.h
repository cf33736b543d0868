/* Instructions as numbers, for programs that write programs. Source: The RISC-V Instruction Set Manual, Volume I. */
#ifndef TESTS_CODE_H
#define TESTS_CODE_H

#include <microkit.h>

/* Returns to the caller. */
#define INSTRUCTION_RETURN 0x00008067u

/* Makes a number below 2048 the result of a function. */
#define INSTRUCTION_RESULT(number) (0x00000513u | (seL4_Uint32)(number) << 20)

/* Random code without what the emulator executes wrongly: nothing is known. */
LIMEN_INLINE seL4_Uint32 without_defects(seL4_Uint32 code)
{
    return code;
}

/* Lets instructions that were written at one address be executed at another. */
LIMEN_INLINE void publish_code(seL4_Word written, seL4_Word run, seL4_Word bytes)
{
    (void)written;
    (void)run;
    (void)bytes;
    __asm__ volatile ("fence.i" : : : "memory");
}

#endif /* TESTS_CODE_H */
