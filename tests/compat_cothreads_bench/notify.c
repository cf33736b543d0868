/* Benchmark 3: a notification and its answer, in the style of events. */
#include "passes.h"

#define SERVER 1

static seL4_Word start;

static void begin_pass(void)
{
    start = limen_counter();
    microkit_notify(SERVER);
}

void init(void)
{
    begin_pass();
}

void notified(microkit_channel ch)
{
    (void)ch;
    if (add_pass(limen_counter() - start)) {
        begin_pass();
    } else {
        print_result("notify");
    }
}
