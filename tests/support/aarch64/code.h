/* Instructions as numbers, for programs that write programs. Source: ARM DDI 0487, C6.2. */
#ifndef TESTS_CODE_H
#define TESTS_CODE_H

#include <microkit.h>

/* Returns to the caller. */
#define INSTRUCTION_RETURN 0xd65f03c0u

/* Makes a number below 2048 the result of a function. */
#define INSTRUCTION_RESULT(number) (0x52800000u | (seL4_Uint32)(number) << 5)

/* Random code without what the emulator executes wrongly: nothing is known. */
LIMEN_INLINE seL4_Uint32 without_defects(seL4_Uint32 code)
{
    return code;
}

/* Lets instructions that were written at one address be executed at another. */
LIMEN_INLINE void publish_code(seL4_Word written, seL4_Word run, seL4_Word bytes)
{
    for (seL4_Word i = 0; i < bytes; i += 4) {
        __asm__ volatile ("dc cvau, %0" : : "r"(written + i) : "memory");
    }
    __asm__ volatile ("dsb ish" : : : "memory");
    for (seL4_Word i = 0; i < bytes; i += 4) {
        __asm__ volatile ("ic ivau, %0" : : "r"(run + i) : "memory");
    }
    __asm__ volatile ("dsb ish\n\tisb" : : : "memory");
}

#endif /* TESTS_CODE_H */
