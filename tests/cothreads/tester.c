/* With floating-point registers. */

#include "waiting.h"

#define NEXT 3

static double products[4];

static double product_across_switches(double seed)
{
    double a = seed, b = a * 3, c = b + a, d = c * b, e = d - a, f = e * 0.5, g = f + b, h = g * c;
    microkit_cothread_yield();
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

static void multiply(void)
{
    uintptr_t number = 0;
    microkit_cothread_my_arg(&number);
    products[number] = product_across_switches((double)number + 0.5);
}

static void floating_point_registers_survive_switches(void)
{
    spawn_all(multiply);
    microkit_cothread_run();
    for (int i = 0; i < 4; i++) {
        CHECK(products[i] == product_across_switches((double)i + 0.5));
    }
}

static void every_answer_wakes_the_waiter(void)
{
    CHECK_EQUAL(turns, 200);
    co_state_t state = cothread_running;
    for (int handle = 1; handle <= 4; handle++) {
        CHECK_EQUAL(microkit_cothread_query_state(handle, &state), co_no_err);
        CHECK_EQUAL(state, cothread_not_active);
    }
}

static co_err_t ends[4];

static size_t wait_until_10(void)
{
    uintptr_t number = 0;
    microkit_cothread_my_arg(&number);
    ends[number] = microkit_cothread_wait_on_channel_until(FIRST_ANSWER, number == 3 ? 20 : 10);
    return number;
}

static void waits_end_at_deadlines_and_by_cancel(void)
{
    microkit_cothread_t handles[4];
    uint64_t next = 0;
    for (uintptr_t i = 0; i < 4; i++) {
        CHECK_EQUAL(microkit_cothread_spawn(wait_until_10, true, &handles[i], i), co_no_err);
    }
    microkit_cothread_run();
    CHECK_EQUAL(microkit_cothread_next_deadline(&next), co_no_err);
    CHECK_EQUAL(next, 10);
    CHECK_EQUAL(microkit_cothread_cancel(handles[1]), co_no_err);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_EQUAL(ends[0], co_err_timed_out);
    CHECK_EQUAL(ends[1], co_err_cancelled);
    CHECK_EQUAL(ends[2], co_err_timed_out);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(FIRST_ANSWER), co_no_err);
    CHECK_EQUAL(ends[3], co_no_err);
    for (size_t i = 0; i < 4; i++) {
        size_t value = 9;
        CHECK_EQUAL(microkit_cothread_join(handles[i], &value), co_no_err);
        CHECK_EQUAL(value, i);
    }
}

static size_t two_halves(void)
{
    uintptr_t number = 0;
    microkit_cothread_my_arg(&number);
    microkit_cothread_yield();
    return number * 0x100000001;
}

static void an_entry_function_returns_a_value_of_64_bits(void)
{
    microkit_cothread_t handle;
    size_t value = 0;
    CHECK_EQUAL(microkit_cothread_spawn(two_halves, true, &handle, 7), co_no_err);
    CHECK_EQUAL(microkit_cothread_join(handle, &value), co_no_err);
    CHECK_EQUAL(value, 0x700000007);
}

static void misuse_is_refused(void)
{
    CHECK_EQUAL(microkit_cothread_wait_on_channel(FIRST_ANSWER), co_err_wait_called_from_root_thread);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(62), co_err_recv_ntfn_invalid_channel);
    CHECK_EQUAL(microkit_cothread_destroy(0), co_err_destroy_specific_cannot_destroy_root);
    CHECK_EQUAL(microkit_cothread_join(1), co_no_err);
    CHECK_EQUAL(microkit_cothread_join(1), co_err_generic_not_initialised);
}

void init(void)
{
    RUN(start_library);
    RUN(registers_survive_switches);
    RUN(floating_point_registers_survive_switches);
    RUN(message_words_survive_a_wait_where_asked);
    RUN(stacks_tell_what_was_used);
    RUN(misuse_is_refused);
    RUN(an_entry_function_returns_a_value_of_64_bits);
    RUN(waits_end_at_deadlines_and_by_cancel);
    spawn_all(ask_again_and_again);
    microkit_cothread_run();
}

void notified(microkit_channel ch)
{
    microkit_cothread_recv_ntfn(ch);
    if (turns == 200) {
        RUN(every_answer_wakes_the_waiter);
        microkit_notify(NEXT);
    }
}
