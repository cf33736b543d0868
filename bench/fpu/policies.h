/* The compared policies, with their names in rows. */
#ifndef BENCH_FPU_POLICIES_H
#define BENCH_FPU_POLICIES_H

#include <limen.h>
#include "samples.h"
#include "text.h"

#define POLICIES 4

static const char *const policy_names[POLICIES] = {
    [LIMEN_FPU_SEMI_LAZY] = " policy=semi_lazy",
    [LIMEN_FPU_EAGER] = " policy=eager",
    [LIMEN_FPU_FAULT_LAZY] = " policy=fault_lazy",
    [LIMEN_FPU_EARLY_SAVE] = " policy=early_save",
};

static inline void choose_policy(int policy)
{
    bench_check(limen_fpu_set_policy((limen_fpu_policy_t)policy, 0) == seL4_NoError, "a policy was refused");
}

/* Prints the row of a policy. */
static inline void print_under(struct samples *samples, int policy, const char *name, const char *parameters)
{
    struct text row = TEXT_EMPTY;
    text_add(&row, name);
    text_add(&row, policy_names[policy]);
    text_add(&row, parameters);
    samples_print(samples, text_terminated(&row));
}

#endif /* BENCH_FPU_POLICIES_H */
