/* What a program can leave behind in its registers. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <microkit.h>

/* No flag has an effect in the middle of a function. */
#define FLAGS_MASK 0ul
#define CLEAR_FIXED_FLAGS(registers) ((void)(registers))

/* Rounds towards zero. */
#define FIRST_CONTROL 0ul
#define OTHER_CONTROL (1ul << 5)

#define TLS_BASE tp

static inline seL4_Word read_flags(void)
{
    return 0;
}

static inline seL4_Word read_control(void)
{
    seL4_Word control;
    __asm__ volatile ("csrr %0, fcsr" : "=r"(control));
    return control;
}

static inline seL4_Word read_value(void)
{
    seL4_Word value;
    __asm__ volatile ("fmv.x.d %0, f20" : "=r"(value));
    return value;
}

static inline void spoil_floating(seL4_Word value)
{
    __asm__ volatile ("csrw fcsr, %0\n\tfmv.d.x f20, %1" : : "r"(OTHER_CONTROL), "r"(value));
}

static inline void store_aligned(void *to)
{
    __asm__ volatile ("fsd f20, 0(%0)" : : "r"(to) : "memory");
}

/* Copies upwards with an instruction that can also copy downwards, where there is one. */
static inline void copy(unsigned char *to, const unsigned char *from, seL4_Word bytes)
{
    __builtin_memcpy(to, from, bytes);
}

/* The program counter is at an undefined instruction afterwards. */
static inline void spoil_flags_and_stack(void)
{
    __asm__ volatile ("addi sp, sp, -8\n\tli s0, 1\n\tunimp" : : : "memory");
}

#endif /* REGISTERS_H */
