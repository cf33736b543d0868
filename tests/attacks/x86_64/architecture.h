/* Outcomes of attacks on x86. Source: Intel SDM, volume 3, chapter 6. */
#ifndef TESTS_ATTACKS_ARCHITECTURE_H
#define TESTS_ATTACKS_ARCHITECTURE_H

#include "access.h"
#include "table.h"

#include <microkit.h>

/* Vectors. */
#define UNDEFINED_NUMBER 6
#define STACK_NUMBER 12
#define PROTECTION_NUMBER 13
/* Every address can hold an instruction. */
#define MISALIGNED_NUMBER 0

/* Error codes of page faults. Source: Intel SDM, volume 3, figure 4-12. */
#define PAGE_FAULT_PRESENT 0x1ul
#define PAGE_FAULT_WRITE 0x2ul
#define PAGE_FAULT_USER 0x4ul
#define PAGE_FAULT_FETCH 0x10ul

/* The register of a function's first argument. */
#define ARGUMENT rdi

#define FIRST_UPPER_ADDRESS 0xffff800000000000ul
#define KERNEL_ADDRESSES \
    FIRST_UPPER_ADDRESS, 0xffffffff80000000ul, 0xffffffff80100000ul, 0xffffffff80200000ul, 0xfffffffffee00000ul, ~7ul
#define NOBODYS_ADDRESSES \
    0x0000800000000000ul, 0x0123000009000000ul, 0x8000000009000000ul, 0xff00000009000000ul, 0xffff7ffffffffff8ul

/* The processor refuses non-canonical addresses before translation. */
#define NOBODYS_IS_AN_EXCEPTION 1
#define NOBODYS_NUMBER PROTECTION_NUMBER

static inline seL4_Word status(enum access access, enum obstacle obstacle)
{
    return PAGE_FAULT_USER | (access == STORE ? PAGE_FAULT_WRITE : 0) | (access == FETCH ? PAGE_FAULT_FETCH : 0)
           | (obstacle == FORBIDDEN ? PAGE_FAULT_PRESENT : 0);
}

static inline seL4_Word status_mask(enum obstacle obstacle)
{
    return obstacle == KERNELS ? ~PAGE_FAULT_PRESENT : ~0ul;
}

static inline seL4_Word fetched_from(seL4_Word address)
{
    return address;
}

/* The upper 16 bits repeat the one below them. */
static inline seL4_Word taken_program_counter(seL4_Word written)
{
    return (seL4_Word)((seL4_Int64)(written << 16) >> 16);
}

static inline int is_misaligned(seL4_Word pc)
{
    (void)pc;
    return 0;
}

static inline int is_bad_stack(seL4_Word sp)
{
    return sp != taken_program_counter(sp);
}

/* QEMU 7.2 reports a protection fault where a processor reports a stack fault. */
static inline seL4_Word bad_stack_number(seL4_Word reported)
{
    return reported == PROTECTION_NUMBER ? reported : STACK_NUMBER;
}

/* Some instructions are undefined on some processors and refused by others. */
static inline seL4_Word trapped_number(const struct attack *attack, seL4_Word reported)
{
    if (attack->number == STACK_NUMBER) {
        return bad_stack_number(reported);
    }
    return reported == UNDEFINED_NUMBER ? reported : attack->number;
}

/* An error code that names a gate has its number above three bits. QEMU 7.2 has it above four. */
static inline seL4_Word trapped_code(const struct attack *attack, seL4_Word reported)
{
    seL4_Word gate = attack->code >> 3;
    seL4_Word rest = attack->code & 7;
    return reported == (gate << 4 | rest) ? reported : attack->code;
}

static inline void set_system_call(seL4_UserContext *context, seL4_Word number)
{
    context->rdx = number;
}

static inline void set_wait(seL4_UserContext *context)
{
    context->rdx = (seL4_Word)seL4_SysWait;
    context->rdi = LIMEN_INPUT_CAP;
}

/* RFLAGS: those of arithmetic, direction and single step may be written; two others are always set. */
#define FLAGS_WRITABLE 0xdd5ul
#define FLAGS_FIXED 0x202ul
#define FLAGS_ORDINARY FLAGS_FIXED
#define FLAG_STEP (1ul << 8)
/* Set by the processor when it reports a fault. */
#define FLAG_RESUME (1ul << 16)
#define FLAGS_REPORTED (~FLAG_RESUME)
#define FLAGS_OF_EXCEPTION seL4_UserException_FLAGS
#define FLAGS_OF_SYSTEM_CALL seL4_UnknownSyscall_FLAGS

static inline seL4_Word get_flags(const seL4_UserContext *context)
{
    return context->rflags;
}

static inline void set_flags(seL4_UserContext *context, seL4_Word flags)
{
    context->rflags = flags;
}

static inline seL4_Word taken_flags(seL4_Word written)
{
    return (written & FLAGS_WRITABLE) | FLAGS_FIXED;
}

static inline int single_steps(seL4_Word flags)
{
    return (flags & FLAG_STEP) != 0;
}

static inline void forgive_flags(seL4_UserContext *context)
{
    context->rflags &= ~FLAG_RESUME;
}

#endif /* TESTS_ATTACKS_ARCHITECTURE_H */
