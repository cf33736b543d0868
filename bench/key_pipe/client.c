/* Sends a message to a server and back in a loop, past eight branches that are not taken.
 *
 * key_pipe: the instructions of all rounds between two counter reads, including interruptions. A round is four branches, a
 * protected call without words to a passive server, and four branches there. The kernel's two traps of a round pass four
 * branches on its own keys, which are patched in every build of this benchmark. At the end the program switches the branches
 * on and checks that they are taken. */

#include "pipe.h"
#include "samples.h"

#define SERVER 0
#define KEY 0

#if SAMPLES < 1000
#define PIPE_ROUNDS 1000
#else
#define PIPE_ROUNDS 1000000
#endif

static inline microkit_msginfo round_trip(seL4_Word label)
{
    return microkit_ppcall(SERVER, pass(microkit_msginfo_new(label, 0)));
}

static seL4_Word measure(void)
{
    int right = 1;
    seL4_Word before = limen_counter();
    for (seL4_Word round = 0; round < PIPE_ROUNDS; round++) {
        right &= microkit_msginfo_get_label(round_trip(round)) == round;
    }
    seL4_Word after = limen_counter();
    bench_check(right, "a message came back that was not sent");
    return after - before;
}

static void switch_on(void)
{
    switch_flag_on();
    microkit_notify(SERVER);
    bench_check(limen_key_enable(KEY) == seL4_NoError, "the key was not switched on");
}

void init(void)
{
    round_trip(0);
    samples_print_one("key_pipe" ROW_PARAMETER("build", BUILD) ROW_FPU ROW_PARAMETER("rounds", PIPE_ROUNDS), measure());
    switch_on();
    bench_check(microkit_msginfo_get_label(round_trip(0)) == 2 * BRANCHES * IS_SWITCHED, "branches are not taken when on");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
