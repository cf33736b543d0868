/* The code of the attacks in ARCH/table.S, which the tester copies to the culprit's executable memory. */
#ifndef TESTS_ATTACKS_TABLE_H
#define TESTS_ATTACKS_TABLE_H

#include "places.h"

/* A line of the table, with the layout of the assembly macros. */
struct attack {
    const char *name;
    /* The start address, the address at which it must stop, and the address after that. */
    const char *start;
    const char *point;
    const char *end;
    /* An enum ending, and its argument. */
    seL4_Word ending;
    seL4_Word number;
    seL4_Word code;
    /* True if it changes registers. */
    seL4_Word changes;
};

extern const struct attack attack_table[];
extern const struct attack attack_table_end[];
extern const char attack_code[];
extern const char attack_code_end[];

/* Two undefined instructions. */
extern const char undefined_code[];
extern const char after_undefined_code[];
/* The system call -1000, and an undefined instruction behind it. */
extern const char unknown_call_code[];
extern const char after_unknown_call_code[];
/* An access to one byte at the address in the ARGUMENT register, and a jump there. */
extern const char load_code[];
extern const char store_code[];
extern const char jump_code[];
/* A load through the stack pointer. */
extern const char stack_code[];
/* Waits for a signal; then an undefined instruction. */
extern const char wait_code[];
extern const char after_wait_code[];
/* Room for an instruction of the sweeps, with an undefined one behind it. */
extern const char patch_code[];
extern const char after_patch_code[];

/* Its address in the culprit. */
static inline seL4_Word in_culprit(const char *code)
{
    return CODE + (seL4_Word)(code - attack_code);
}

/* Copies `bytes` of the code from `from` to the culprit. */
void publish(const char *from, seL4_Word bytes);

/* Replaces the instruction at patch_code. */
void patch(seL4_Uint32 instruction);

#endif /* TESTS_ATTACKS_TABLE_H */
