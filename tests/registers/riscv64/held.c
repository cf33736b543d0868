#include "held.h"

/* Rounding modes that exist, and the exceptions. */
#define FCSR_MASK 0x7ful
#define NOT_COMPARED 0x5ul

typedef char places_are_right[__builtin_offsetof(struct held, x_out) == HELD_X_OUT
                              && __builtin_offsetof(struct held, f_out) == HELD_F_OUT
                              && __builtin_offsetof(struct held, saved_sp) == HELD_SAVED_SP ? 1 : -1];

void held_fill(struct held *held, seL4_Word seed)
{
    seL4_Word state = seed;
    for (int i = 0; i < 32; i++) {
        held->x_in[i] = next_value(&state);
        held->f_in[i] = next_value(&state);
    }
    held->fcsr_in = next_value(&state) & FCSR_MASK;
}

seL4_Word held_count_changed(const struct held *held, seL4_Word used)
{
    seL4_Word changed = held->fcsr_in != held->fcsr_out;
    for (int i = 0; i < 32; i++) {
        changed += !(((used | NOT_COMPARED) >> i) & 1) && held->x_in[i] != held->x_out[i];
        changed += held->f_in[i] != held->f_out[i];
    }
    return changed;
}

/* A program can set all of them itself. */
seL4_Word held_set_by_parent(seL4_Word child)
{
    (void)child;
    return 0;
}
