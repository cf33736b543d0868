#include "state.h"
#include "random.h"

/* Flags and rounding modes that exist: the first four. */
#define FCSR_MASK 0x7ful

#define EACH_REGISTER(access)                                                                                      \
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, " \
    "28, 29, 30, 31\n\t" access " f\\n, 8 * \\n(%0)\n\t.endr\n\t"

void state_fill(struct state *state)
{
    for (int i = 0; i < 32; i++) {
        state->f[i] = random_word();
    }
    state->fcsr = random_word() & FCSR_MASK;
}

void state_initial(struct state *state)
{
    *state = (struct state) { { 0 }, 0 };
}

int state_equal(const struct state *a, const struct state *b)
{
    seL4_Word different = a->fcsr ^ b->fcsr;
    for (int i = 0; i < 32; i++) {
        different |= a->f[i] ^ b->f[i];
    }
    return !different;
}

void state_write(const struct state *state)
{
    __asm__ volatile (EACH_REGISTER("fld") "fscsr %1" : : "r"(state->f), "r"(state->fcsr) : "memory");
}

void state_read(struct state *state)
{
    seL4_Word fcsr;
    __asm__ volatile (".global state_first_use\nstate_first_use:\n\t" EACH_REGISTER("fsd")
                      : : "r"(state->f) : "memory");
    __asm__ volatile ("frcsr %0" : "=r"(fcsr));
    state->fcsr = fcsr;
}
