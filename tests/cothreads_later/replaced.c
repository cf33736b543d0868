/* Switches with its own primitives. */

#include "waiting.h"

#define START 0
#define NEXT 3

/* Of libco.c. */
extern unsigned long libco_switches;

static void every_switch_was_done_by_the_programs_own_primitives(void)
{
    /* Each wait is one, and before that 5 turns of 4 cothreads, twice. */
    CHECK(libco_switches >= 200 + 2 * 4 * 5);
}

void init(void)
{
}

static void begin(void)
{
    RUN_FOR("replaced", start_library);
    RUN_FOR("replaced", registers_survive_switches);
    RUN_FOR("replaced", message_words_survive_a_wait_where_asked);
    RUN_FOR("replaced", stacks_tell_what_was_used);
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
        RUN(every_switch_was_done_by_the_programs_own_primitives);
        turns = 0;
        microkit_notify(NEXT);
    }
}
