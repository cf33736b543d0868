/* Ten thousand cothreads in one process. */

#include <stdlib.h>
#include "test.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)microkit_cothread_recv_ntfn(ch);
}

static unsigned long turns;

static void take_turns(void)
{
    for (int i = 0; i < 10; i++) {
        turns++;
        microkit_cothread_yield();
    }
    microkit_cothread_wait_on_channel(3);
    turns++;
}

static void ten_thousand_take_turns_and_are_woken_together(void)
{
    static uintptr_t stacks[LIMEN_CO_COTHREADS];
    const size_t bytes = MINIMUM_STACK_SIZE;
    char *memory = malloc(bytes * LIMEN_CO_COTHREADS);
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        stacks[i] = (uintptr_t)memory + i * bytes;
    }
    CHECK_EQUAL(microkit_cothread_init_array((uintptr_t)test_controller, bytes, stacks), co_no_err);
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        microkit_cothread_t handle;
        CHECK_EQUAL(microkit_cothread_spawn(take_turns, true, &handle, 0), co_no_err);
    }
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
    CHECK_EQUAL(turns, 10ul * LIMEN_CO_COTHREADS);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(3), co_no_err);
    CHECK_EQUAL(turns, 11ul * LIMEN_CO_COTHREADS);
    free(memory);
}

int main(void)
{
    RUN(ten_thousand_take_turns_and_are_woken_together);
    return test_end("many");
}
