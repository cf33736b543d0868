/* Outcomes of attacks on AArch64. Source: ARM DDI 0487: ESR_EL1, SPSR_EL1. */
#ifndef TESTS_ATTACKS_ARCHITECTURE_H
#define TESTS_ATTACKS_ARCHITECTURE_H

#include "access.h"
#include "table.h"

#include <microkit.h>

/* ESR_EL1: exception class, and that the instruction has 32 bits. */
#define SYNDROME(class) ((class) << 26 | 1ul << 25)
#define UNDEFINED_NUMBER SYNDROME(0x00ul)
#define MISALIGNED_NUMBER SYNDROME(0x22ul)
#define CLASS_SYSTEM_REGISTER 0x18ul
#define CLASS_INSTRUCTION_ABORT 0x20ul
#define CLASS_DATA_ABORT 0x24ul
#define SYNDROME_WRITE (1ul << 6)
#define STATUS_TRANSLATION 0x04ul
#define STATUS_PERMISSION 0x0cul

/* The register of a function's first argument. */
#define ARGUMENT x0

#define FIRST_UPPER_ADDRESS 0xffffff8000000000ul
#define KERNEL_ADDRESSES \
    FIRST_UPPER_ADDRESS, 0xffffffff80000000ul, 0xffffffff80000800ul, 0xffffffff80040000ul, 0xffffffff80200000ul, ~7ul
#define NOBODYS_ADDRESSES \
    0x0000010000000000ul, 0x0123000009000000ul, 0x8000000009000000ul, 0xff00000009000000ul, 0xffff000000000000ul

/* The processor translates every address before it refuses one. */
#define NOBODYS_IS_AN_EXCEPTION 0
#define NOBODYS_NUMBER 0

static inline seL4_Word status(enum access access, enum obstacle obstacle)
{
    seL4_Word class = access == FETCH ? CLASS_INSTRUCTION_ABORT : CLASS_DATA_ABORT;
    return SYNDROME(class) | (access == STORE ? SYNDROME_WRITE : 0)
           | (obstacle == FORBIDDEN ? STATUS_PERMISSION : STATUS_TRANSLATION);
}

/* Masks the level of the table, and for kernel addresses the reason as well. */
static inline seL4_Word status_mask(enum obstacle obstacle)
{
    return obstacle == KERNELS ? ~0x3ful : ~0x3ul;
}

static inline seL4_Word fetched_from(seL4_Word address)
{
    return address;
}

static inline seL4_Word taken_program_counter(seL4_Word written)
{
    return written;
}

static inline int is_misaligned(seL4_Word pc)
{
    return (pc & 3) != 0;
}

static inline int is_bad_stack(seL4_Word sp)
{
    return (sp & 15) != 0;
}

static inline seL4_Word bad_stack_number(seL4_Word reported)
{
    (void)reported;
    return SYNDROME(0x26ul);
}

static inline seL4_Word system_syndrome(seL4_Word bits, seL4_Word op1, seL4_Word op2)
{
    return SYNDROME(CLASS_SYSTEM_REGISTER) | (bits >> 19 & 0x3) << 20 | op2 << 17 | op1 << 14
           | (bits >> 12 & 0xf) << 10 | (bits & 0x1f) << 5 | (bits >> 8 & 0xf) << 1 | (bits >> 21 & 0x1);
}

/* The syndrome of a trapped instruction repeats its fields. QEMU 7.2 exchanges two of them where a flag is written that
 * the instruction itself names (op0 is 0). */
static inline seL4_Word trapped_number(const struct attack *attack, seL4_Word reported)
{
    seL4_Word bits = *(const seL4_Uint32 *)attack->point;
    seL4_Word op1 = bits >> 16 & 0x7;
    seL4_Word op2 = bits >> 5 & 0x7;
    seL4_Word exchanged = system_syndrome(bits, op2, op1);
    return (bits >> 19 & 0x3) == 0 && reported == exchanged ? exchanged : system_syndrome(bits, op1, op2);
}

static inline seL4_Word trapped_code(const struct attack *attack, seL4_Word reported)
{
    (void)reported;
    return attack->code;
}

static inline void set_system_call(seL4_UserContext *context, seL4_Word number)
{
    context->x7 = number;
}

static inline void set_wait(seL4_UserContext *context)
{
    context->x7 = (seL4_Word)seL4_SysWait;
    context->x0 = LIMEN_INPUT_CAP;
}

/* SPSR: condition flags, and speculative store bypass where the processor has it. */
#define FLAGS_ORDINARY 0x60000000ul
#define FLAGS_CONDITIONS 0xf0000000ul
#define FLAGS_STORE_BYPASS (1ul << 12)
/* A processor without store bypass reports none. */
#define FLAGS_REPORTED (~FLAGS_STORE_BYPASS)
#define FLAGS_OF_EXCEPTION seL4_UserException_SPSR
#define FLAGS_OF_SYSTEM_CALL seL4_UnknownSyscall_SPSR

static inline seL4_Word get_flags(const seL4_UserContext *context)
{
    return context->spsr;
}

static inline void set_flags(seL4_UserContext *context, seL4_Word flags)
{
    context->spsr = flags;
}

static inline seL4_Word taken_flags(seL4_Word written)
{
    return written & (FLAGS_CONDITIONS | FLAGS_STORE_BYPASS);
}

static inline int single_steps(seL4_Word flags)
{
    (void)flags;
    return 0;
}

/* They do not change when a program is stopped. */
static inline void forgive_flags(seL4_UserContext *context)
{
    (void)context;
}

#endif /* TESTS_ATTACKS_ARCHITECTURE_H */
