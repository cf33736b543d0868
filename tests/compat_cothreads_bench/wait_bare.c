/* Benchmark 4: a notification and its answer, for which a coroutine waits by the switching primitives alone. They are the
 * project's own, and its library switches by them too. */
#include <libco.h>
#include <libmicrokitco.h>
#include "passes.h"

#define SERVER 1

static char memory[0x2000] __attribute__((aligned(16)));
static cothread_t root;
static cothread_t waiter;

static void wait(void)
{
    seL4_Word start;
    do {
        start = limen_counter();
        microkit_notify(SERVER);
        co_switch(root);
    } while (add_pass(limen_counter() - start));
    print_result("wait bare");
    for (;;) {
        co_switch(root);
    }
}

void init(void)
{
    root = co_active();
    waiter = co_derive(memory, sizeof(memory), wait);
    co_switch(waiter);
}

void notified(microkit_channel ch)
{
    (void)ch;
    co_switch(waiter);
}
