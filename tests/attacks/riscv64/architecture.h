/* Outcomes of attacks on RISC-V. Source: The RISC-V Instruction Set Manual, Volume II: scause, stval. */
#ifndef TESTS_ATTACKS_ARCHITECTURE_H
#define TESTS_ATTACKS_ARCHITECTURE_H

#include "access.h"
#include "table.h"

#include <microkit.h>

/* Causes. */
#define UNDEFINED_NUMBER 2
#define MISALIGNED_NUMBER 0
#define CAUSE_FETCH_PAGE_FAULT 12
#define CAUSE_LOAD_PAGE_FAULT 13
#define CAUSE_STORE_PAGE_FAULT 15

/* The register of a function's first argument. */
#define ARGUMENT a0

#define FIRST_UPPER_ADDRESS 0xffffffc000000000ul
#define KERNEL_ADDRESSES \
    FIRST_UPPER_ADDRESS, 0xffffffff80000000ul, 0xffffffff80001000ul, 0xffffffff80040000ul, 0xffffffff80200000ul, ~7ul
#define NOBODYS_ADDRESSES \
    0x0000004000000000ul, 0x0123000009000000ul, 0x8000000009000000ul, 0xff00000009000000ul, 0xffffffbffffffff8ul

/* The processor translates every address before it refuses one. */
#define NOBODYS_IS_AN_EXCEPTION 0
#define NOBODYS_NUMBER 0

/* The cause does not distinguish unmapped from forbidden addresses. */
static inline seL4_Word status(enum access access, enum obstacle obstacle)
{
    static const seL4_Word causes[] = {
        [LOAD] = CAUSE_LOAD_PAGE_FAULT, [STORE] = CAUSE_STORE_PAGE_FAULT, [FETCH] = CAUSE_FETCH_PAGE_FAULT,
    };
    (void)obstacle;
    return causes[access];
}

static inline seL4_Word status_mask(enum obstacle obstacle)
{
    (void)obstacle;
    return ~0ul;
}

/* A program counter has no lowest bit. */
static inline seL4_Word taken_program_counter(seL4_Word written)
{
    return written & ~1ul;
}

static inline seL4_Word fetched_from(seL4_Word address)
{
    return taken_program_counter(address);
}

/* With compressed instructions every even address can hold one. */
static inline int is_misaligned(seL4_Word pc)
{
    (void)pc;
    return 0;
}

static inline int is_bad_stack(seL4_Word sp)
{
    (void)sp;
    return 0;
}

static inline seL4_Word bad_stack_number(seL4_Word reported)
{
    return reported;
}

/* Every refused instruction is an illegal instruction. */
static inline seL4_Word trapped_number(const struct attack *attack, seL4_Word reported)
{
    (void)reported;
    return attack->number;
}

static inline seL4_Word trapped_code(const struct attack *attack, seL4_Word reported)
{
    (void)reported;
    return attack->code;
}

static inline void set_system_call(seL4_UserContext *context, seL4_Word number)
{
    context->a7 = number;
}

static inline void set_wait(seL4_UserContext *context)
{
    context->a7 = (seL4_Word)seL4_SysWait;
    context->a0 = LIMEN_INPUT_CAP;
}

/* No register that a parent can write has flags. */
#define FLAGS_ORDINARY 0

static inline void set_flags(seL4_UserContext *context, seL4_Word flags)
{
    (void)context;
    (void)flags;
}

static inline void forgive_flags(seL4_UserContext *context)
{
    (void)context;
}

#endif /* TESTS_ATTACKS_ARCHITECTURE_H */
