#include "held.h"

#define FLAGS_MASK 0xf0000000ul
/* Rounding mode, flush to zero, default NaN, alternative half precision. */
#define FPCR_MASK 0x07c00000ul
/* Saturation and the cumulative exceptions. */
#define FPSR_MASK 0x0800009ful

typedef char places_are_right[__builtin_offsetof(struct held, x_in) == HELD_X_IN - HELD_Q_IN
                              && __builtin_offsetof(struct held, x_out) == HELD_X_OUT - HELD_Q_IN
                              && __builtin_offsetof(struct held, q_out) == HELD_Q_OUT - HELD_Q_IN
                              && __builtin_offsetof(struct held, saved_sp) == HELD_SAVED_SP - HELD_Q_IN ? 1 : -1];

void held_fill(struct held *held, seL4_Word seed)
{
    seL4_Word state = seed;
    for (int i = 0; i < 31; i++) {
        held->x_in[i] = next_value(&state);
    }
    for (int i = 0; i < 32; i++) {
        held->q_in[i].low = next_value(&state);
        held->q_in[i].high = next_value(&state);
    }
    held->flags_in = next_value(&state) & FLAGS_MASK;
    held->tpidr_in = next_value(&state);
    held->fpcr_in = next_value(&state) & FPCR_MASK;
    held->fpsr_in = next_value(&state) & FPSR_MASK;
}

seL4_Word held_count_changed(const struct held *held, seL4_Word used)
{
    seL4_Word changed = held->flags_in != held->flags_out;
    for (int i = 0; i < 31; i++) {
        changed += !((used >> i) & 1) && held->x_in[i] != held->x_out[i];
    }
    for (int i = 0; i < 32; i++) {
        changed += held->q_in[i].low != held->q_out[i].low || held->q_in[i].high != held->q_out[i].high;
    }
    changed += (held->tpidrro_out & ~0xfful) != HELD_TPIDRRO;
    return changed + (held->tpidr_in != held->tpidr_out) + (held->fpcr_in != held->fpcr_out)
           + (held->fpsr_in != held->fpsr_out);
}

seL4_Word held_set_by_parent(seL4_Word child)
{
    seL4_UserContext context;
    seL4_Word count = sizeof(context) / sizeof(seL4_Word);
    seL4_Error error = seL4_TCB_ReadRegisters(BASE_TCB_CAP + child, seL4_False, 0, count, &context);
    context.tpidrro_el0 = HELD_TPIDRRO + child;
    return error + seL4_TCB_WriteRegisters(BASE_TCB_CAP + child, seL4_False, 0, count, &context);
}
