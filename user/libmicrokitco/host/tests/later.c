/* The later interface: the same library without error codes and with binary semaphores. */

#include "test.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_cothread_recv_ntfn(ch);
}

static microkit_cothread_sem_t semaphore;

static void start(void)
{
    stack_ptrs_arg_array_t stacks = { test_stack(0), test_stack(1), test_stack(2), test_stack(3) };
    static co_control_t controller;
    microkit_cothread_init(&controller, STACK_BYTES, stacks);
    memset(&semaphore, 0, sizeof(semaphore));
    microkit_cothread_semaphore_init(&semaphore);
}

/* A co_control_t is large enough at any address. */
static void the_controller_stays_in_its_memory(void)
{
    static struct {
        co_control_t first;
        char behind_first;
        co_control_t second;
        char behind_second;
    } memory;
    stack_ptrs_arg_array_t stacks = { test_stack(0), test_stack(1), test_stack(2), test_stack(3) };
    memory.behind_first = memory.behind_second = 'x';
    microkit_cothread_init(&memory.first, STACK_BYTES, stacks);
    limen_host_reset();
    microkit_cothread_init(&memory.second, STACK_BYTES, stacks);
    CHECK_EQUAL(memory.behind_first, 'x');
    CHECK_EQUAL(memory.behind_second, 'x');
}

static void mark_self(void)
{
    mark((char)('0' + microkit_cothread_my_handle()));
}

static void mark_argument(void)
{
    mark(*(const char *)microkit_cothread_my_arg());
}

static void spawned_cothreads_are_ready(void)
{
    start();
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_spawn(mark_argument, "a"), 1);
    CHECK_EQUAL(microkit_cothread_spawn(mark_argument, "b"), 2);
    microkit_cothread_set_arg(2, "c");
    CHECK_EQUAL(microkit_cothread_query_state(1), cothread_ready);
    CHECK_EQUAL(microkit_cothread_query_state(0), cothread_running);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "ac");
    CHECK_EQUAL(microkit_cothread_query_state(1), cothread_not_active);
}

static void the_next_handle_is_known(void)
{
    start();
    microkit_cothread_ref_t next = LIBMICROKITCO_NULL_HANDLE;
    for (int wanted = 1; wanted <= 4; wanted++) {
        CHECK(microkit_cothread_free_handle_available(&next));
        CHECK_EQUAL(next, wanted);
        CHECK_EQUAL(microkit_cothread_spawn(mark_self, NULL), wanted);
    }
    CHECK(!microkit_cothread_free_handle_available(&next));
    CHECK_EQUAL(microkit_cothread_spawn(mark_self, NULL), LIBMICROKITCO_NULL_HANDLE);
}

static void wait_twice(void)
{
    for (int i = 0; i < 2; i++) {
        microkit_cothread_wait_on_channel(5);
        mark_self();
    }
}

static void a_notification_wakes_one_and_one_is_kept(void)
{
    start();
    microkit_cothread_recv_ntfn(5);
    microkit_cothread_recv_ntfn(5);
    microkit_cothread_spawn(wait_twice, NULL);
    microkit_cothread_spawn(wait_twice, NULL);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1");
    CHECK_EQUAL(microkit_cothread_query_state(2), cothread_blocked);
    microkit_cothread_recv_ntfn(5);
    CHECK_TEXT(marks(), "11");
    microkit_cothread_recv_ntfn(5);
    CHECK_TEXT(marks(), "112");
}

static void wait_on_semaphore(void)
{
    microkit_cothread_semaphore_wait(&semaphore);
    mark_self();
}

static void signal_semaphore(void)
{
    microkit_cothread_semaphore_signal(&semaphore);
    mark_self();
}

static void post_semaphore(void)
{
    microkit_cothread_semaphore_post(&semaphore);
    mark_self();
}

static void a_signal_switches_and_a_post_does_not(void)
{
    start();
    microkit_cothread_spawn(wait_on_semaphore, NULL);
    microkit_cothread_spawn(signal_semaphore, NULL);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1");
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "12");
    CHECK(microkit_cothread_semaphore_is_queue_empty(&semaphore));
    microkit_cothread_spawn(wait_on_semaphore, NULL);
    microkit_cothread_spawn(post_semaphore, NULL);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "124");
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1243");
}

static void a_semaphore_is_set_or_not(void)
{
    start();
    CHECK(!microkit_cothread_semaphore_is_set(&semaphore));
    microkit_cothread_semaphore_signal(&semaphore);
    microkit_cothread_semaphore_signal(&semaphore);
    CHECK(microkit_cothread_semaphore_is_set(&semaphore));
    microkit_cothread_semaphore_wait(&semaphore);
    CHECK(!microkit_cothread_semaphore_is_set(&semaphore));
}

static void yield_and_mark(void)
{
    microkit_cothread_yield();
    mark_self();
}

/* Otherwise the root would return to receive while cothreads are ready. */
static void a_signal_of_the_root_returns_when_nobody_is_ready(void)
{
    start();
    microkit_cothread_spawn(wait_on_semaphore, NULL);
    microkit_cothread_yield();
    microkit_cothread_spawn(yield_and_mark, NULL);
    microkit_cothread_spawn(yield_and_mark, NULL);
    CHECK(!microkit_cothread_semaphore_is_queue_empty(&semaphore));
    microkit_cothread_semaphore_signal(&semaphore);
    CHECK_TEXT(marks(), "123");
}

static void signal_root(void)
{
    microkit_cothread_semaphore_signal(&semaphore);
    mark_self();
}

static void a_signal_can_wake_the_root(void)
{
    start();
    microkit_cothread_spawn(signal_root, NULL);
    microkit_cothread_semaphore_wait(&semaphore);
    mark('r');
    CHECK_EQUAL(microkit_cothread_query_state(0), cothread_running);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "r1");
}

/* How the last wait with a deadline ended; -1 while it lasts. */
static int end_of_wait;

static void wait_on_5_until_10(void)
{
    end_of_wait = (int)microkit_cothread_wait_on_channel_until(5, 10);
    mark_self();
}

static void wait_on_semaphore_until_10(void)
{
    end_of_wait = (int)microkit_cothread_semaphore_wait_until(&semaphore, 10);
    mark_self();
}

static void wait_on_semaphore_for_ever(void)
{
    end_of_wait = (int)microkit_cothread_semaphore_wait_until(&semaphore, MICROKIT_COTHREAD_NO_DEADLINE);
    mark_self();
}

/* Spawns a cothread and lets it wait. */
static microkit_cothread_ref_t wait_in(client_entry_t entry)
{
    end_of_wait = -1;
    microkit_cothread_ref_t handle = microkit_cothread_spawn(entry, NULL);
    microkit_cothread_yield();
    CHECK_EQUAL(end_of_wait, -1);
    CHECK_EQUAL(microkit_cothread_query_state(handle), cothread_blocked);
    return handle;
}

static void a_wait_with_a_deadline_tells_how_it_ended(void)
{
    start();
    wait_in(wait_on_5_until_10);
    microkit_cothread_recv_ntfn(5);
    CHECK_EQUAL(end_of_wait, cothread_woken);
    wait_in(wait_on_5_until_10);
    microkit_cothread_expire(9);
    CHECK_EQUAL(end_of_wait, -1);
    microkit_cothread_expire(10);
    CHECK_EQUAL(end_of_wait, cothread_timed_out);
    microkit_cothread_ref_t waiter = wait_in(wait_on_semaphore_until_10);
    CHECK(microkit_cothread_cancel(waiter));
    CHECK(!microkit_cothread_cancel(waiter));
    microkit_cothread_yield();
    CHECK_EQUAL(end_of_wait, cothread_cancelled);
    wait_in(wait_on_semaphore_until_10);
    microkit_cothread_semaphore_signal(&semaphore);
    CHECK_EQUAL(end_of_wait, cothread_woken);
    CHECK_TEXT(marks(), "1234");
}

static void the_next_deadline_is_known(void)
{
    uint64_t next = 0;
    start();
    CHECK(!microkit_cothread_next_deadline(&next));
    wait_in(wait_on_semaphore_for_ever);
    CHECK(!microkit_cothread_next_deadline(&next));
    wait_in(wait_on_5_until_10);
    CHECK(microkit_cothread_next_deadline(&next));
    CHECK_EQUAL(next, 10);
    microkit_cothread_expire(UINT64_MAX);
    CHECK_TEXT(marks(), "2");
}

static void a_thread_in_a_plain_wait_is_not_cancelled(void)
{
    start();
    microkit_cothread_spawn(wait_on_semaphore, NULL);
    microkit_cothread_yield();
    CHECK(!microkit_cothread_cancel(1));
    microkit_cothread_expire(UINT64_MAX);
    CHECK_TEXT(marks(), "");
}

/* Faults. */

static void cancel_wrong_handle(void)
{
    start();
    microkit_cothread_cancel(1);
}

static void wait_until_on_wrong_channel(void)
{
    start();
    microkit_cothread_wait_on_channel_until(62, 1);
}

static void wait_until_in_lonely_root(void)
{
    start();
    microkit_cothread_semaphore_wait_until(&semaphore, 1);
}

static void expire_too_early(void)
{
    microkit_cothread_expire(1);
}

static void yield_too_early(void)
{
    microkit_cothread_yield();
}

static void init_twice(void)
{
    start();
    start();
}

static void stack_of_0(void)
{
    stack_ptrs_arg_array_t stacks = { test_stack(0), 0, test_stack(2), test_stack(3) };
    microkit_cothread_init((co_control_t *)test_controller, STACK_BYTES, stacks);
}

static void small_stacks(void)
{
    stack_ptrs_arg_array_t stacks = { test_stack(0), test_stack(1), test_stack(2), test_stack(3) };
    microkit_cothread_init((co_control_t *)test_controller, 0xff0, stacks);
}

static void same_stack_twice(void)
{
    stack_ptrs_arg_array_t stacks = { test_stack(0), test_stack(0), test_stack(2), test_stack(3) };
    microkit_cothread_init((co_control_t *)test_controller, STACK_BYTES, stacks);
}

static void destroy_root(void)
{
    start();
    microkit_cothread_destroy(0);
}

static void wrong_handle(void)
{
    start();
    microkit_cothread_query_state(9);
}

static void argument_of_root(void)
{
    start();
    microkit_cothread_my_arg();
}

static void receive_on_wrong_channel(void)
{
    start();
    microkit_cothread_recv_ntfn(62);
}

static void spawn_null(void)
{
    start();
    microkit_cothread_spawn(NULL, NULL);
}

static void receive(void)
{
    microkit_cothread_recv_ntfn(1);
}

static void receive_in_cothread(void)
{
    start();
    microkit_cothread_spawn(receive, NULL);
    microkit_cothread_yield();
}

static void wait_on_wrong_channel(void)
{
    start();
    microkit_cothread_wait_on_channel(62);
}

static void wait_in_root(void)
{
    start();
    microkit_cothread_wait_on_channel(1);
}

static void misuse_faults_at_the_address_that_tells_why(void)
{
    static const struct {
        void (*misuse)(void);
        unsigned long address;
    } cases[] = {
        { destroy_root, 0x3 },          { yield_too_early, 0x5 },          { wrong_handle, 0x6 },
        { init_twice, 0x7 },            { stack_of_0, 0x8 },               { same_stack_twice, 0x9 },
        { small_stacks, 0xe },          { argument_of_root, 0x11 },        { receive_in_cothread, 0x12 },
        { spawn_null, 0x15 },           { receive_on_wrong_channel, 0x13 }, { wait_on_wrong_channel, 0x16 },
        { cancel_wrong_handle, 0x6 },   { wait_until_on_wrong_channel, 0x16 }, { expire_too_early, 0x5 },
        { wait_until_in_lonely_root, 0x18 }, { wait_in_root, 0x18 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        limen_host_reset();
        CHECK_EQUAL(fault_of(cases[i].misuse), cases[i].address);
    }
    CHECK_TEXT(test_console, "host|root thread: the root thread receives notifications and cannot wait for one\n");
}

int main(void)
{
    RUN(the_controller_stays_in_its_memory);
    RUN(spawned_cothreads_are_ready);
    RUN(the_next_handle_is_known);
    RUN(a_notification_wakes_one_and_one_is_kept);
    RUN(a_signal_switches_and_a_post_does_not);
    RUN(a_semaphore_is_set_or_not);
    RUN(a_signal_of_the_root_returns_when_nobody_is_ready);
    RUN(a_signal_can_wake_the_root);
    RUN(a_wait_with_a_deadline_tells_how_it_ended);
    RUN(the_next_deadline_is_known);
    RUN(a_thread_in_a_plain_wait_is_not_cancelled);
    RUN(misuse_faults_at_the_address_that_tells_why);
    return test_end("later");
}
