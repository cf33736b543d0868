/* Passes branches on a key of another processor without end, and checks that it sees what it should. */

#include <limen.h>
#include <limen/static_key.h>

#include "shared.h"

seL4_Word shared;

static LIMEN_STATIC_KEY_FALSE(traces);

/* Separate copies. Together the three passers have more branches than the kernel patches in one batch. */
#define EIGHT(what) what what what what what what what what
#define UNLIKELY +(limen_static_branch_unlikely(traces) ? 1 : 0)
#define LIKELY +(limen_static_branch_likely(traces) ? 1 : 0)
#define BRANCHES 32
#define COPY(name, branch)                                                                                             \
    static int name(int add)                                                                                           \
    {                                                                                                                  \
        return add EIGHT(branch);                                                                                      \
    }
COPY(first, UNLIKELY) COPY(second, LIKELY) COPY(third, UNLIKELY) COPY(fourth, LIKELY)

static int (*const volatile copies[])(int) = { first, second, third, fourth };

/* How many branches are taken. */
static int pass(void)
{
    int taken = 0;
    for (unsigned i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
        taken = copies[i](taken);
    }
    return taken;
}

/* Enters the kernel, where its own branches are. */
static void enter_kernel(void)
{
    seL4_Word badge;
    seL4_NBWait(LIMEN_INPUT_CAP, &badge);
    seL4_Yield();
}

void init(void)
{
    seL4_Word number = own_number();
    for (;;) {
        seL4_Word before = load(&all()->state);
        int taken = pass();
        if (load(&all()->calls)) {
            enter_kernel();
        }
        /* Had the state changed, it would be another number. */
        if (load(&all()->state) == before) {
            int is_wrong = before % 4 == OFF ? taken != 0 : before % 4 == ON ? taken != BRANCHES : taken > BRANCHES;
            if (is_wrong) {
                store(&all()->wrong[number], all()->wrong[number] + 1);
            }
            store(&all()->passed[number], before);
        }
    }
}

void notified(microkit_channel channel)
{
    (void)channel;
}
