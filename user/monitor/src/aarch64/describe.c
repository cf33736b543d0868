/* Describes the exception syndrome register in words.
 *
 * Source: Arm Architecture Reference Manual (DDI 0487), ESR_EL1. */

#include "monitor.h"

#define CLASS(syndrome) (((syndrome) >> 26) & 0x3f)
#define INSTRUCTION_LENGTH(syndrome) (((syndrome) >> 25) & 1)
#define SPECIFIC(syndrome) ((syndrome) & 0x1ffffff)

#define CLASS_DATA_ABORT 0x24
#define CLASS_BRK 0x3c

static const char *const classes[64] = {
    [0x00] = "Unknown reason",
    [0x01] = "Trapped WFI or WFE",
    [0x07] = "Trapped access to floating point or SIMD",
    [0x0d] = "Branch target exception",
    [0x0e] = "Illegal execution state",
    [0x15] = "SVC instruction",
    [0x18] = "Trapped MSR, MRS or system instruction",
    [0x19] = "Trapped access to SVE",
    [0x20] = "Instruction abort from a lower exception level",
    [0x22] = "PC alignment fault",
    [0x24] = "Data abort from a lower exception level",
    [0x26] = "SP alignment fault",
    [0x2c] = "Floating-point exception",
    [0x2f] = "SError interrupt",
    [0x30] = "Breakpoint from a lower exception level",
    [0x32] = "Software step from a lower exception level",
    [0x34] = "Watchpoint from a lower exception level",
    [0x3c] = "BRK instruction",
};

/* Data fault status codes: the reason for a failed access. */
static const char *const fault_codes[64] = {
    [0x00] = "address size fault, level 0",
    [0x01] = "address size fault, level 1",
    [0x02] = "address size fault, level 2",
    [0x03] = "address size fault, level 3",
    [0x04] = "translation fault, level 0",
    [0x05] = "translation fault, level 1",
    [0x06] = "translation fault, level 2",
    [0x07] = "translation fault, level 3",
    [0x08] = "access flag fault, level 0",
    [0x09] = "access flag fault, level 1",
    [0x0a] = "access flag fault, level 2",
    [0x0b] = "access flag fault, level 3",
    [0x0c] = "permission fault, level 0",
    [0x0d] = "permission fault, level 1",
    [0x0e] = "permission fault, level 2",
    [0x0f] = "permission fault, level 3",
    [0x10] = "synchronous external abort",
    [0x11] = "synchronous tag check fault",
    [0x14] = "synchronous external abort on a table walk, level 0",
    [0x15] = "synchronous external abort on a table walk, level 1",
    [0x16] = "synchronous external abort on a table walk, level 2",
    [0x17] = "synchronous external abort on a table walk, level 3",
    [0x18] = "synchronous parity or ECC error",
    [0x21] = "alignment fault",
    [0x30] = "TLB conflict abort",
    [0x31] = "unsupported atomic hardware update fault",
    [0x34] = "implementation defined fault (lockdown)",
    [0x35] = "unsupported exclusive or atomic access",
};

/* Bits of the specific syndrome of a data abort. */
static const struct {
    seL4_Word bit;
    const char *suffix;
} abort_flags[] = {
    { 1ul << 9, " -- external abort" },
    { 1ul << 8, " -- cache maint" },
    { 1ul << 7, " -- stage 2 fault for stage 1 page table walk" },
    { 1ul << 6, " -- write not read" },
};

/* Immediates of the brk instructions that clang's undefined-behaviour sanitizer emits: a base plus the kind of check.
 * Source: clang's list of sanitizer checks, in its order. */
#define UBSAN_BASE 0x5500
static const char *const ubsan_kinds[] = {
    "add overflow",
    "unreachable code reached",
    "control flow integrity check failed",
    "division or remainder overflow",
    "dynamic type mismatch",
    "float cast overflow",
    "function type mismatch",
    "implicit conversion changes the value",
    "invalid argument of a builtin",
    "invalid Objective-C cast",
    "load of an invalid value",
    "missing return",
    "multiplication overflow",
    "negation overflow",
    "null passed as a nonnull argument (nullability)",
    "null returned as a nonnull value (nullability)",
    "null passed as a nonnull argument",
    "null returned as a nonnull value",
    "index out of bounds",
    "pointer overflow",
    "shift out of bounds",
    "subtraction overflow",
    "type mismatch, null or misaligned pointer",
    "alignment assumption violated",
    "variable length array without positive length",
};

static const char *text_of(const char *const *table, seL4_Word code)
{
    return table[code] ? table[code] : "reserved";
}

static void describe_class(seL4_Word syndrome)
{
    print_half("MON|ERROR:   ec: ", CLASS(syndrome));
    microkit_dbg_puts("  ");
    microkit_dbg_puts(text_of(classes, CLASS(syndrome)));
    microkit_dbg_puts(INSTRUCTION_LENGTH(syndrome) ? "   il: 1   " : "   il: 0   ");
    print_half("iss: ", SPECIFIC(syndrome));
    microkit_dbg_puts("\n");
}

static void describe_data_abort(seL4_Word specific)
{
    seL4_Word code = specific & 0x3f;
    microkit_dbg_puts("MON|ERROR:   dfsc = ");
    microkit_dbg_puts(text_of(fault_codes, code));
    print_half(" (", code);
    microkit_dbg_puts(")");
    for (seL4_Word i = 0; i < sizeof(abort_flags) / sizeof(abort_flags[0]); i++) {
        if (specific & abort_flags[i].bit) {
            microkit_dbg_puts(abort_flags[i].suffix);
        }
    }
    microkit_dbg_puts("\n");
}

static void describe_brk(seL4_Word immediate)
{
    seL4_Word kind = immediate - UBSAN_BASE;
    if (kind < sizeof(ubsan_kinds) / sizeof(ubsan_kinds[0])) {
        microkit_dbg_puts("MON|ERROR: potential undefined behaviour detected by UBSAN for: '");
        microkit_dbg_puts(ubsan_kinds[kind]);
        microkit_dbg_puts("'\n");
    }
}

void describe_vm_fault(seL4_Word status)
{
    describe_class(status);
    if (CLASS(status) == CLASS_DATA_ABORT) {
        describe_data_abort(SPECIFIC(status));
    }
}

void describe_exception(seL4_Word number)
{
    describe_class(number);
    if (CLASS(number) == CLASS_BRK) {
        describe_brk(number & 0xffff);
    }
}
