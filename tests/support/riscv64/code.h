/* Instruction encodings, for programs that generate code. Source: The RISC-V Instruction Set Manual, Volume I. */
#ifndef TESTS_CODE_H
#define TESTS_CODE_H

#include <microkit.h>

/* Return to the caller. */
#define INSTRUCTION_RETURN 0x00008067u

/* Loads a number below 2048 into the result register. */
#define INSTRUCTION_RESULT(number) (0x00000513u | (seL4_Uint32)(number) << 20)

/* Filters random code for instructions that the emulator executes incorrectly; none is known. */
LIMEN_INLINE seL4_Uint32 without_defects(seL4_Uint32 code)
{
    return code;
}

/* Makes code that was written at one address visible to instruction fetches at another. */
LIMEN_INLINE void publish_code(seL4_Word written, seL4_Word run, seL4_Word bytes)
{
    (void)written;
    (void)run;
    (void)bytes;
    __asm__ volatile ("fence.i" : : : "memory");
}

#endif /* TESTS_CODE_H */
