/* Instruction encodings, for programs that generate code. Source: Intel SDM, volume 2. */
#ifndef TESTS_CODE_H
#define TESTS_CODE_H

#include <microkit.h>

/* Return to the caller. */
#define INSTRUCTION_RETURN 0x909090c3u

/* Makes a number below 128 the result of a function: pushes it, pops rax, does nothing. */
#define INSTRUCTION_RESULT(number) (0x9058006au | (seL4_Uint32)(number) << 8)

/* iret, which in QEMU 7.2 enters virtual 8086 mode from programs if their flags say so: no kernel can stop that. */
#define IRET 0xcfu
#define NOP 0x90u

/* Filters random code for instructions that the emulator executes incorrectly. */
LIMEN_INLINE seL4_Uint32 without_defects(seL4_Uint32 code)
{
    for (seL4_Uint32 shift = 0; shift < 32; shift += 8) {
        if ((code >> shift & 0xff) == IRET) {
            code ^= (IRET ^ NOP) << shift;
        }
    }
    return code;
}

/* Makes code that was written at one address visible to instruction fetches at another. */
LIMEN_INLINE void publish_code(seL4_Word written, seL4_Word run, seL4_Word bytes)
{
    (void)written;
    (void)run;
    (void)bytes;
    __asm__ volatile ("" : : : "memory");
}

#endif /* TESTS_CODE_H */
