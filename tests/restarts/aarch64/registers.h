/* What a program can leave behind in its registers. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <microkit.h>

/* No flag has an effect in the middle of a function. */
#define FLAGS_MASK 0ul
#define CLEAR_FIXED_FLAGS(registers) ((void)(registers))

/* Rounds towards zero. */
#define FIRST_CONTROL 0ul
#define OTHER_CONTROL (3ul << 22)

#define TLS_BASE tpidr_el0

static inline seL4_Word read_flags(void)
{
    return 0;
}

static inline seL4_Word read_control(void)
{
    seL4_Word control;
    __asm__ volatile ("mrs %0, fpcr" : "=r"(control));
    return control;
}

static inline seL4_Word read_value(void)
{
    seL4_Word value;
    __asm__ volatile ("fmov %0, d20" : "=r"(value));
    return value;
}

static inline void spoil_floating(seL4_Word value)
{
    __asm__ volatile ("msr fpcr, %0\n\tfmov d20, %1" : : "r"(OTHER_CONTROL), "r"(value));
}

static inline void store_aligned(void *to)
{
    __asm__ volatile ("str q20, [%0]" : : "r"(to) : "memory");
}

/* Copies upwards with an instruction that can also copy downwards, where there is one. */
static inline void copy(unsigned char *to, const unsigned char *from, seL4_Word bytes)
{
    __builtin_memcpy(to, from, bytes);
}

/* The program counter is at an undefined instruction afterwards. */
static inline void spoil_flags_and_stack(void)
{
    __asm__ volatile ("mov x0, #0xf0000000\n\tmsr nzcv, x0\n\tmov x29, x0\n\tsub sp, sp, #8\n\tudf #0" : : : "x0", "cc", "memory");
}

#endif /* REGISTERS_H */
