/* Without floating-point registers, and with notifications that are kept. */

#include "waiting.h"

#define START 0
#define NEXT 3

static void every_answer_was_seen(void)
{
    CHECK_EQUAL(turns, 200);
}

static void a_kept_notification_does_not_switch(void)
{
    CHECK_EQUAL(microkit_cothread_recv_ntfn(20), co_no_err);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(20), co_err_recv_ntfn_already_queued);
    CHECK_EQUAL(microkit_cothread_wait_on_channel(20), co_no_err);
}

void init(void)
{
}

static void begin(void)
{
    RUN_FOR("integers", start_library);
    RUN_FOR("integers", registers_survive_switches);
    RUN_FOR("integers", message_words_survive_a_wait_where_asked);
    RUN_FOR("integers", stacks_tell_what_was_used);
    RUN(a_kept_notification_does_not_switch);
    spawn_all(ask_again_and_again);
    microkit_cothread_run();
}

void notified(microkit_channel ch)
{
    if (ch == START) {
        begin();
        return;
    }
    microkit_cothread_recv_ntfn(ch);
    if (turns == 200) {
        RUN(every_answer_was_seen);
        turns = 0;
        microkit_notify(NEXT);
    }
}
