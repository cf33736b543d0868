/* Stops itself whenever it runs, so that a change to it and back is in what resumes it. Has no callers: what it receives on
 * is its notification. */

#include "figures.h"
#include "user.h"

#define OWN_THREAD 1
#define OTHER_TIME 2

seL4_Word shared_page;

static seL4_Word invoke(seL4_CPtr cap, seL4_Word label, seL4_CPtr argument)
{
    limen_words_t words = { 0, 0, 0, 0 };
    seL4_MessageInfo_t info = longest(label, argument);
    seL4_Word before = limen_counter();
    limen_received_t answer = limen_trap_call(cap, info, words);
    seL4_Word after = limen_counter();
    bench_check(seL4_MessageInfo_get_label(answer.info) == seL4_NoError, "a method was refused");
    return after - before;
}

static void bind(volatile seL4_Word *figures)
{
    seL4_Word length;
    figures[figure_unbind_notification] = invoke(root(OWN_THREAD), TCBUnbindNotification, LIMEN_INPUT_CAP);
    figures[figure_bind_notification] = invoke(root(OWN_THREAD), TCBBindNotification, LIMEN_INPUT_CAP);
    length = invoke(root(OTHER_TIME), SchedContextBind, LIMEN_INPUT_CAP);
    if (length > figures[figure_bind]) {
        figures[figure_bind] = length;
    }
    length = invoke(root(OTHER_TIME), SchedContextUnbindObject, LIMEN_INPUT_CAP);
    if (length > figures[figure_unbind_object]) {
        figures[figure_unbind_object] = length;
    }
}

void init(void)
{
    struct shared *page = shared();
    for (;;) {
        use_fpu();
        page->stops++;
        limen_invoke_plain(root(OWN_THREAD), TCBSuspend, 0);
        landed();
        switch (page->command) {
        case DO_BIND:
            bind(page->figures);
            break;
        case DO_YIELD:
            page->before = limen_counter();
            seL4_Yield();
            break;
        default:
            break;
        }
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
