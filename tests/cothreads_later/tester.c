/* The later interface: no error codes, arrays of stacks, semaphores. */

#include <libmicrokitco.h>
#include "test.h"

#define FIRST_ANSWER 1
#define SECOND_ANSWER 2
#define NEXT 3
#define KEPT 20

#define STACK_BYTES 0x2000
#define ASKS 50

static char stacks[4][STACK_BYTES] __attribute__((aligned(16)));
static co_control_t controller;
static microkit_cothread_sem_t semaphore;

/* The cothreads that ran, in order, as decimal digits. */
static seL4_Word order;
static seL4_Word asked;
static double products[5];

static void mark(seL4_Word digit)
{
    order = order * 10 + digit;
}

static seL4_Word marks(void)
{
    seL4_Word seen = order;
    order = 0;
    return seen;
}

static void mark_self(void)
{
    mark((seL4_Word)microkit_cothread_my_handle());
}

static void mark_argument(void)
{
    mark(*(const seL4_Word *)microkit_cothread_my_arg());
}

static void spawned_cothreads_run_in_their_order(void)
{
    static const seL4_Word arguments[] = { 5, 6, 7 };
    CHECK_EQUAL(microkit_cothread_spawn(mark_argument, (void *)&arguments[0]), 1);
    CHECK_EQUAL(microkit_cothread_spawn(mark_argument, (void *)&arguments[1]), 2);
    microkit_cothread_set_arg(2, (void *)&arguments[2]);
    CHECK_EQUAL(microkit_cothread_query_state(2), cothread_ready);
    microkit_cothread_yield();
    CHECK_EQUAL(marks(), 57);
    CHECK_EQUAL(microkit_cothread_query_state(2), cothread_not_active);
}

static void a_spawn_that_finds_no_cothread_says_so(void)
{
    microkit_cothread_ref_t next = LIBMICROKITCO_NULL_HANDLE, wanted[] = { 3, 4, 1, 2 };
    for (int i = 0; i < 4; i++) {
        CHECK(microkit_cothread_free_handle_available(&next));
        CHECK_EQUAL((seL4_Word)next, (seL4_Word)wanted[i]);
        CHECK_EQUAL((seL4_Word)microkit_cothread_spawn(mark_self, NULL), (seL4_Word)wanted[i]);
    }
    CHECK(!microkit_cothread_free_handle_available(&next));
    CHECK(microkit_cothread_spawn(mark_self, NULL) == LIBMICROKITCO_NULL_HANDLE);
    microkit_cothread_yield();
    CHECK_EQUAL(marks(), 3412);
}

static double product_across_switches(double seed)
{
    double a = seed, b = a * 3, c = b + a, d = c * b, e = d - a, f = e * 0.5, g = f + b, h = g * c;
    microkit_cothread_yield();
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

static void multiply(void)
{
    int handle = microkit_cothread_my_handle();
    products[handle] = product_across_switches(handle + 0.5);
}

static void floating_point_registers_survive_switches(void)
{
    for (int i = 0; i < 4; i++) {
        microkit_cothread_spawn(multiply, NULL);
    }
    microkit_cothread_yield();
    microkit_cothread_yield();
    for (int handle = 1; handle <= 4; handle++) {
        CHECK(products[handle] == product_across_switches(handle + 0.5));
    }
}

static void wait_twice(void)
{
    for (int i = 0; i < 2; i++) {
        microkit_cothread_wait_on_channel(KEPT);
        mark_self();
    }
}

static void a_notification_without_a_waiter_is_kept_once(void)
{
    microkit_cothread_recv_ntfn(KEPT);
    microkit_cothread_recv_ntfn(KEPT);
    microkit_cothread_ref_t waiting = microkit_cothread_spawn(wait_twice, NULL);
    microkit_cothread_yield();
    CHECK_EQUAL(marks(), (seL4_Word)waiting);
    CHECK_EQUAL(microkit_cothread_query_state(waiting), cothread_blocked);
    microkit_cothread_recv_ntfn(KEPT);
    CHECK_EQUAL(marks(), (seL4_Word)waiting);
    CHECK_EQUAL(microkit_cothread_query_state(waiting), cothread_not_active);
}

static void wait_on_semaphore(void)
{
    microkit_cothread_semaphore_wait(&semaphore);
    mark(1);
}

static void signal_semaphore(void)
{
    microkit_cothread_semaphore_signal(&semaphore);
    mark(2);
}

static void post_semaphore(void)
{
    microkit_cothread_semaphore_post(&semaphore);
    mark(2);
}

static void a_signal_switches_and_a_post_does_not(void)
{
    microkit_cothread_semaphore_init(&semaphore);
    microkit_cothread_spawn(wait_on_semaphore, NULL);
    microkit_cothread_spawn(signal_semaphore, NULL);
    microkit_cothread_yield();
    microkit_cothread_yield();
    CHECK_EQUAL(marks(), 12);
    CHECK(microkit_cothread_semaphore_is_queue_empty(&semaphore));
    microkit_cothread_spawn(wait_on_semaphore, NULL);
    microkit_cothread_spawn(post_semaphore, NULL);
    microkit_cothread_yield();
    microkit_cothread_yield();
    CHECK_EQUAL(marks(), 21);
    microkit_cothread_semaphore_signal(&semaphore);
    CHECK(microkit_cothread_semaphore_is_set(&semaphore));
}

static co_wait_end_t wait_end;

static void wait_on_channel_until_10(void)
{
    wait_end = microkit_cothread_wait_on_channel_until(KEPT, 10);
    mark(1);
}

static void wait_on_semaphore_until_20(void)
{
    wait_end = microkit_cothread_semaphore_wait_until(&semaphore, 20);
    mark(2);
}

static void a_deadline_ends_a_wait(void)
{
    uint64_t next = 0;
    microkit_cothread_semaphore_init(&semaphore);
    CHECK(!microkit_cothread_next_deadline(&next));
    microkit_cothread_spawn(wait_on_semaphore_until_20, NULL);
    microkit_cothread_spawn(wait_on_channel_until_10, NULL);
    microkit_cothread_yield();
    CHECK(microkit_cothread_next_deadline(&next));
    CHECK_EQUAL(next, 10);
    microkit_cothread_expire(10);
    CHECK_EQUAL(marks(), 1);
    CHECK_EQUAL(wait_end, cothread_timed_out);
    microkit_cothread_semaphore_signal(&semaphore);
    CHECK_EQUAL(marks(), 2);
    CHECK_EQUAL(wait_end, cothread_woken);
    CHECK(!microkit_cothread_next_deadline(&next));
}

static void a_wait_with_a_deadline_can_be_cancelled(void)
{
    microkit_cothread_ref_t waiter = microkit_cothread_spawn(wait_on_channel_until_10, NULL);
    microkit_cothread_yield();
    CHECK(microkit_cothread_cancel(waiter));
    CHECK(!microkit_cothread_cancel(waiter));
    microkit_cothread_yield();
    CHECK_EQUAL(marks(), 1);
    CHECK_EQUAL(wait_end, cothread_cancelled);
}

/* One cothread for each channel, because two answers on one channel may be one notification. */
static void ask_again_and_again(void)
{
    microkit_channel ch = *(const microkit_channel *)microkit_cothread_my_arg();
    for (int i = 0; i < ASKS; i++) {
        microkit_notify(ch);
        microkit_cothread_wait_on_channel(ch);
        asked++;
    }
}

static void every_answer_woke_the_waiter(void)
{
    CHECK_EQUAL(asked, 2 * ASKS);
}

void init(void)
{
    static const microkit_channel channels[] = { FIRST_ANSWER, SECOND_ANSWER };
    stack_ptrs_arg_array_t addresses;
    for (int i = 0; i < 4; i++) {
        addresses[i] = (uintptr_t)stacks[i];
    }
    microkit_cothread_init(&controller, STACK_BYTES, addresses);
    RUN(spawned_cothreads_run_in_their_order);
    RUN(a_spawn_that_finds_no_cothread_says_so);
    RUN(floating_point_registers_survive_switches);
    RUN(a_notification_without_a_waiter_is_kept_once);
    RUN(a_signal_switches_and_a_post_does_not);
    RUN(a_deadline_ends_a_wait);
    RUN(a_wait_with_a_deadline_can_be_cancelled);
    microkit_cothread_spawn(ask_again_and_again, (void *)&channels[0]);
    microkit_cothread_spawn(ask_again_and_again, (void *)&channels[1]);
    microkit_cothread_yield();
}

void notified(microkit_channel ch)
{
    microkit_cothread_recv_ntfn(ch);
    if (asked == 2 * ASKS) {
        RUN(every_answer_woke_the_waiter);
        asked = 0;
        microkit_notify(NEXT);
    }
}
