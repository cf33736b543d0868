/* Instruction encodings, for programs that generate code. Source: ARM DDI 0487, C6.2. */
#ifndef TESTS_CODE_H
#define TESTS_CODE_H

#include <microkit.h>

/* Return to the caller. */
#define INSTRUCTION_RETURN 0xd65f03c0u

/* Loads a number below 2048 into the result register. */
#define INSTRUCTION_RESULT(number) (0x52800000u | (seL4_Uint32)(number) << 5)

/* Filters random code for instructions that the emulator executes incorrectly; none is known. */
LIMEN_INLINE seL4_Uint32 without_defects(seL4_Uint32 code)
{
    return code;
}

/* Makes code that was written at one address visible to instruction fetches at another. */
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
