/* Cothreads with message words and a deferred signal of their own, and two kept notifications per channel. */

#include <libmicrokitco.h>
#include "test.h"

#define START 0
#define FIRST_ANSWER 1
#define SECOND_ANSWER 2
#define NEXT 3
#define ROUNDS 50
#define STACK_BYTES 0x2000

static char controller[LIBMICROKITCO_CONTROLLER_SIZE];
static char stacks[4][STACK_BYTES] __attribute__((aligned(16)));
static seL4_Word turns;
static seL4_Word wrong_words;

static void defer_and_wait(void)
{
    uintptr_t ch = 0;
    microkit_cothread_my_arg(&ch);
    for (seL4_Word i = 0; i < ROUNDS; i++) {
        microkit_mr_set(0, ch);
        microkit_mr_set(1, i);
        microkit_deferred_notify((microkit_channel)ch);
        microkit_cothread_wait_on_channel((microkit_channel)ch);
        wrong_words += microkit_mr_get(0) != ch || microkit_mr_get(1) != i;
        turns++;
    }
}

static void start(void)
{
    co_err_t error = microkit_cothread_init((uintptr_t)controller, STACK_BYTES, stacks[0], stacks[1], stacks[2],
                                            stacks[3]);
    CHECK_EQUAL(error, co_no_err);
}

static void as_many_notifications_are_kept_as_the_option_says(void)
{
    CHECK_EQUAL(microkit_cothread_recv_ntfn(20), co_no_err);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(20), co_no_err);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(20), co_err_recv_ntfn_already_queued);
    CHECK_EQUAL(microkit_cothread_wait_on_channel(20), co_no_err);
    CHECK_EQUAL(microkit_cothread_wait_on_channel(20), co_no_err);
    CHECK_EQUAL(microkit_cothread_wait_on_channel(20), co_err_wait_called_from_root_thread);
}

static void no_deferred_signal_was_lost(void)
{
    CHECK_EQUAL(turns, 2 * ROUNDS);
}

static void each_cothread_has_its_own_words(void)
{
    CHECK_EQUAL(wrong_words, 0);
}

static void begin(void)
{
    microkit_cothread_t handle;
    RUN_FOR("owner", start);
    RUN(as_many_notifications_are_kept_as_the_option_says);
    microkit_cothread_spawn(defer_and_wait, true, &handle, FIRST_ANSWER);
    microkit_cothread_spawn(defer_and_wait, true, &handle, SECOND_ANSWER);
    microkit_cothread_run();
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    if (ch == START) {
        begin();
        return;
    }
    microkit_cothread_recv_ntfn(ch);
    if (turns == 2 * ROUNDS) {
        RUN(no_deferred_signal_was_lost);
        RUN(each_cothread_has_its_own_words);
        turns = 0;
        microkit_notify(NEXT);
    }
}
