#include "held.h"

/* Arithmetic, direction, nested task, alignment check, identification. */
#define FLAGS_MASK 0x244cd5ul
#define ADDRESS_MASK 0x7ffffffffffful
/* Exceptions that have happened, rounding, flush to zero; no exception is reported. */
#define MXCSR_MASK 0xe03fu
#define MXCSR_SILENT 0x1f80u
/* Rounding; full precision, and no exception is reported. */
#define X87_MASK 0xc00u
#define X87_SILENT 0x37fu
#define NOT_COMPARED 0x10ul

typedef char places_are_right[__builtin_offsetof(struct held, r_out) == HELD_STACK_BYTES + HELD_R_OUT
                              && __builtin_offsetof(struct held, flags_in) == HELD_STACK_BYTES + HELD_FLAGS_IN
                              && __builtin_offsetof(struct held, saved_sp) == HELD_STACK_BYTES + HELD_SAVED_SP ? 1 : -1];

void held_fill(struct held *held, seL4_Word seed)
{
    seL4_Word state = seed;
    for (int i = 0; i < 16; i++) {
        held->r_in[i] = next_value(&state);
    }
    for (int i = 0; i < 32; i++) {
        held->x_in[i] = next_value(&state);
    }
    held->flags_in = next_value(&state) & FLAGS_MASK;
    held->fs_in = next_value(&state) & ADDRESS_MASK;
    held->gs_in = next_value(&state) & ADDRESS_MASK;
    held->mxcsr_in = ((seL4_Uint32)next_value(&state) & MXCSR_MASK) | MXCSR_SILENT;
    held->x87_in = ((seL4_Uint32)next_value(&state) & X87_MASK) | X87_SILENT;
}

seL4_Word held_count_changed(const struct held *held, seL4_Word used)
{
    seL4_Word changed = held->flags_in != (held->flags_out & FLAGS_MASK);
    for (int i = 0; i < 16; i++) {
        changed += !(((used | NOT_COMPARED) >> i) & 1) && held->r_in[i] != held->r_out[i];
    }
    for (int i = 0; i < 32; i++) {
        changed += held->x_in[i] != held->x_out[i];
    }
    return changed + (held->fs_in != held->fs_out) + (held->gs_in != held->gs_out)
           + (held->mxcsr_in != held->mxcsr_out) + (held->x87_in != (held->x87_out & 0xffff));
}

/* A program can set all of them itself. */
seL4_Word held_set_by_parent(seL4_Word child)
{
    (void)child;
    return 0;
}
