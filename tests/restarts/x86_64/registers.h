/* What a program can leave behind in its registers. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <microkit.h>

/* Single step, direction, alignment check and ID. The others say nothing in the middle of a function. */
#define FLAGS_MASK 0x240500ul
/* A register that is never zero. */
#define CLEAR_FIXED_FLAGS(registers) ((registers).rflags &= ~0x202ul)

/* Rounds towards zero: MXCSR, and the control word of the x87 above it. */
#define FIRST_CONTROL (0x1f80ul | 0x37ful << 32)
#define OTHER_CONTROL (0x7f80ul | 0xf7ful << 32)

#define TLS_BASE fs_base

static inline seL4_Word read_flags(void)
{
    seL4_Word flags;
    __asm__ volatile ("pushfq\n\tpopq %0" : "=r"(flags));
    return flags;
}

static inline seL4_Word read_control(void)
{
    seL4_Uint32 sse;
    seL4_Uint16 x87;
    __asm__ volatile ("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
    return sse | (seL4_Word)x87 << 32;
}

static inline seL4_Word read_value(void)
{
    seL4_Word value;
    __asm__ volatile ("movq %%xmm14, %0" : "=r"(value));
    return value;
}

static inline void spoil_floating(seL4_Word value)
{
    seL4_Uint32 sse = (seL4_Uint32)OTHER_CONTROL;
    seL4_Uint16 x87 = (seL4_Uint16)(OTHER_CONTROL >> 32);
    __asm__ volatile ("ldmxcsr %0\n\tfldcw %1\n\tmovq %2, %%xmm14" : : "m"(sse), "m"(x87), "r"(value));
}

static inline void store_aligned(void *to)
{
    __asm__ volatile ("movaps %%xmm14, (%0)" : : "r"(to) : "memory");
}

/* Copies upwards with an instruction that can also copy downwards. */
static inline void copy(unsigned char *to, const unsigned char *from, seL4_Word bytes)
{
    __asm__ volatile ("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* The program counter is at an undefined instruction afterwards. */
static inline void spoil_flags_and_stack(void)
{
    __asm__ volatile ("subq $8, %%rsp\n\tandq $-16, %%rsp\n\tsubq $8, %%rsp\n\tpushq $0x240cd7\n\t"
                      "movl $1, %%ebp\n\tpopfq\n\tud2" : : : "cc", "memory");
}

#endif /* REGISTERS_H */
