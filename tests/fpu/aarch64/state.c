#include "state.h"
#include "random.h"

/* Rounding mode, flush to zero, default NaN, alternative half precision. */
#define FPCR_MASK 0x07c00000ul
/* Saturation and the cumulative exceptions. */
#define FPSR_MASK 0x0800009ful

#define PAIRS(access)                                                                                             \
    access " q0, q1, [%0]\n\t" access " q2, q3, [%0, #32]\n\t" access " q4, q5, [%0, #64]\n\t"                     \
    access " q6, q7, [%0, #96]\n\t" access " q8, q9, [%0, #128]\n\t" access " q10, q11, [%0, #160]\n\t"            \
    access " q12, q13, [%0, #192]\n\t" access " q14, q15, [%0, #224]\n\t" access " q16, q17, [%0, #256]\n\t"       \
    access " q18, q19, [%0, #288]\n\t" access " q20, q21, [%0, #320]\n\t" access " q22, q23, [%0, #352]\n\t"       \
    access " q24, q25, [%0, #384]\n\t" access " q26, q27, [%0, #416]\n\t" access " q28, q29, [%0, #448]\n\t"       \
    access " q30, q31, [%0, #480]\n\t"

void state_fill(struct state *state)
{
    for (int i = 0; i < 64; i++) {
        state->q[i] = random_word();
    }
    state->fpcr = random_word() & FPCR_MASK;
    state->fpsr = random_word() & FPSR_MASK;
}

void state_initial(struct state *state)
{
    *state = (struct state) { { 0 }, 0, 0 };
}

int state_equal(const struct state *a, const struct state *b)
{
    seL4_Word different = (a->fpcr ^ b->fpcr) | (a->fpsr ^ b->fpsr);
    for (int i = 0; i < 64; i++) {
        different |= a->q[i] ^ b->q[i];
    }
    return !different;
}

void state_write(const struct state *state)
{
    __asm__ volatile (".arch_extension fp\n\t.arch_extension simd\n\t" PAIRS("ldp")
                      "msr fpcr, %1\n\tmsr fpsr, %2"
                      : : "r"(state->q), "r"(state->fpcr), "r"(state->fpsr) : "memory");
}

void state_read(struct state *state)
{
    seL4_Word fpcr, fpsr;
    __asm__ volatile (".arch_extension fp\n\t.arch_extension simd\n\t"
                      ".global state_first_use\nstate_first_use:\n\t" PAIRS("stp")
                      : : "r"(state->q) : "memory");
    __asm__ volatile (".arch_extension fp\n\tmrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(fpcr), "=r"(fpsr));
    state->fpcr = fpcr;
    state->fpsr = fpsr;
}
