/* Waits with a deadline and their cancellation. */

#include "test.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)microkit_cothread_recv_ntfn(ch);
}

static microkit_cothread_semaphore_t semaphore;
static microkit_cothread_mutex_t mutex;
static microkit_cothread_condition_t condition;
static uint64_t deadlines[LIMEN_CO_COTHREADS + 1];
static co_err_t results[LIMEN_CO_COTHREADS + 1];

static void start(void)
{
    test_start();
    memset(&semaphore, 0, sizeof(semaphore));
    memset(&mutex, 0, sizeof(mutex));
    memset(&condition, 0, sizeof(condition));
    CHECK_EQUAL(microkit_cothread_semaphore_init(&semaphore, 0), co_no_err);
    CHECK_EQUAL(microkit_cothread_mutex_init(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_condition_init(&condition), co_no_err);
}

/* Spawns a cothread whose wait, in `entry`, has this deadline, and lets it wait. */
static microkit_cothread_t wait_in(client_entry_t entry, uint64_t deadline)
{
    microkit_cothread_t handle = -1;
    CHECK_EQUAL(microkit_cothread_spawn(entry, true, &handle, 0), co_no_err);
    deadlines[handle] = deadline;
    results[handle] = co_num_errors;
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
    return handle;
}

static co_state_t state(microkit_cothread_t handle)
{
    co_state_t found = cothread_not_active;
    CHECK_EQUAL(microkit_cothread_query_state(handle, &found), co_no_err);
    return found;
}

static microkit_cothread_t self(void)
{
    microkit_cothread_t handle = -1;
    CHECK_EQUAL(microkit_cothread_my_handle(&handle), co_no_err);
    return handle;
}

static void record(co_err_t result)
{
    results[self()] = result;
    mark((char)('0' + self()));
}

static void block(void)
{
    record(microkit_cothread_block_until(deadlines[self()]));
}

static void wait_on_5(void)
{
    record(microkit_cothread_wait_on_channel_until(5, deadlines[self()]));
}

static void wait_on_5_plainly(void)
{
    record(microkit_cothread_wait_on_channel(5));
}

static void wait_for_semaphore(void)
{
    record(microkit_cothread_semaphore_wait_until(&semaphore, deadlines[self()]));
}

static void lock(void)
{
    co_err_t error = microkit_cothread_mutex_lock_until(&mutex, deadlines[self()]);
    record(error);
    if (error == co_no_err) {
        CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
    }
}

static void lock_and_wait(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    record(microkit_cothread_condition_wait_until(&condition, &mutex, deadlines[self()]));
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
}

static size_t joined_value;

static void join_1(void)
{
    joined_value = 77;
    record(microkit_cothread_join_until(1, &joined_value, deadlines[self()]));
}

static const client_entry_t waits[] = { block, wait_on_5, wait_for_semaphore, lock, lock_and_wait };
#define WAITS (sizeof(waits) / sizeof(waits[0]))

/* Makes every kind of wait block: the root holds the mutex unless the cothread needs it first. */
static void start_for(client_entry_t wait)
{
    limen_host_reset();
    start();
    if (wait == lock) {
        CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    }
}

static void every_wait_ends_at_its_deadline(void)
{
    for (size_t i = 0; i < WAITS; i++) {
        start_for(waits[i]);
        int handle = wait_in(waits[i], 100);
        CHECK_EQUAL(microkit_cothread_expire(99), co_no_err);
        CHECK_EQUAL(results[handle], co_num_errors);
        CHECK_EQUAL(microkit_cothread_expire(100), co_no_err);
        CHECK_EQUAL(results[handle], co_err_timed_out);
        CHECK_EQUAL(state(handle), cothread_not_active);
        CHECK_EQUAL(microkit_cothread_expire(100), co_no_err);
    }
}

static void every_wait_can_be_cancelled(void)
{
    for (size_t i = 0; i < WAITS; i++) {
        start_for(waits[i]);
        int handle = wait_in(waits[i], MICROKIT_COTHREAD_NO_DEADLINE);
        CHECK_EQUAL(microkit_cothread_expire(UINT64_MAX), co_no_err);
        CHECK_EQUAL(results[handle], co_num_errors);
        CHECK_EQUAL(microkit_cothread_cancel(handle), co_no_err);
        CHECK_EQUAL(microkit_cothread_cancel(handle), co_err_cancel_not_waiting);
        CHECK_EQUAL(microkit_cothread_run(), co_no_err);
        CHECK_EQUAL(results[handle], co_err_cancelled);
        CHECK_REFUSED(microkit_cothread_cancel(handle), co_err_generic_invalid_handle);
    }
}

static void a_join_ends_at_its_deadline_without_a_value(void)
{
    start();
    wait_in(wait_on_5_plainly, 0);
    int joiner = wait_in(join_1, 10);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_EQUAL(results[joiner], co_err_timed_out);
    CHECK_EQUAL(joined_value, 77);
    joiner = wait_in(join_1, 20);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_EQUAL(results[joiner], co_no_err);
    CHECK_EQUAL(joined_value, 0);
}

static void what_ends_a_wait_first_counts(void)
{
    start();
    int waiter = wait_in(wait_on_5, 10);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_EQUAL(results[waiter], co_no_err);
    waiter = wait_in(wait_for_semaphore, 10);
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    CHECK_EQUAL(microkit_cothread_cancel(waiter), co_err_cancel_not_waiting);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_EQUAL(results[waiter], co_no_err);
    waiter = wait_in(block, 10);
    CHECK_EQUAL(microkit_cothread_mark_ready(waiter), co_no_err);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_EQUAL(results[waiter], co_no_err);
}

static void a_wait_that_ended_leaves_the_queue_in_order(void)
{
    start();
    wait_in(wait_on_5, 30);
    wait_in(wait_on_5, 10);
    wait_in(wait_on_5_plainly, 0);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_TEXT(marks(), "2");
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_TEXT(marks(), "213");
    CHECK_EQUAL(results[1], co_no_err);
    CHECK_EQUAL(results[2], co_err_timed_out);
    CHECK_EQUAL(results[3], co_no_err);
}

static void waits_end_in_the_order_of_their_deadlines(void)
{
    uint64_t next = 0;
    start();
    CHECK_EQUAL(microkit_cothread_next_deadline(&next), co_err_no_deadline);
    wait_in(block, 30);
    wait_in(wait_on_5, 10);
    wait_in(wait_for_semaphore, 20);
    wait_in(block, MICROKIT_COTHREAD_NO_DEADLINE);
    CHECK_EQUAL(microkit_cothread_next_deadline(&next), co_no_err);
    CHECK_EQUAL(next, 10);
    CHECK_EQUAL(microkit_cothread_expire(25), co_no_err);
    CHECK_TEXT(marks(), "23");
    CHECK_EQUAL(microkit_cothread_next_deadline(&next), co_no_err);
    CHECK_EQUAL(next, 30);
    CHECK_EQUAL(microkit_cothread_expire(30), co_no_err);
    CHECK_TEXT(marks(), "231");
    CHECK_EQUAL(microkit_cothread_next_deadline(&next), co_err_no_deadline);
}

static void plain_waits_do_not_end_early(void)
{
    start();
    int waiter = wait_in(wait_on_5_plainly, 0);
    CHECK_EQUAL(microkit_cothread_cancel(waiter), co_err_cancel_not_waiting);
    CHECK_EQUAL(microkit_cothread_cancel(0), co_err_cancel_not_waiting);
    CHECK_EQUAL(microkit_cothread_expire(UINT64_MAX), co_no_err);
    CHECK_EQUAL(results[waiter], co_num_errors);
}

/* The mutex is held when the deadline passes: the wait returns once it is free, with the reason of its end. */
static void a_condition_that_timed_out_has_the_mutex(void)
{
    start();
    int waiter = wait_in(lock_and_wait, 10);
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_EQUAL(state(waiter), cothread_blocked_on_mutex);
    CHECK_EQUAL(microkit_cothread_cancel(waiter), co_err_cancel_not_waiting);
    CHECK_EQUAL(microkit_cothread_expire(11), co_no_err);
    CHECK_EQUAL(results[waiter], co_num_errors);
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
    CHECK_EQUAL(results[waiter], co_err_timed_out);
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
}

static void a_signalled_condition_no_longer_times_out(void)
{
    start();
    int waiter = wait_in(lock_and_wait, 10);
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_condition_signal(&condition), co_no_err);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
    CHECK_EQUAL(results[waiter], co_no_err);
}

static void expire_as_cothread(void)
{
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    mark('e');
}

static void the_root_waits_with_a_deadline_too(void)
{
    start();
    microkit_cothread_t handle;
    CHECK_EQUAL(microkit_cothread_spawn(expire_as_cothread, true, &handle, 0), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_wait_until(&semaphore, 10), co_err_timed_out);
    CHECK_TEXT(marks(), "e");
    CHECK_EQUAL(microkit_cothread_semaphore_wait_until(&semaphore, 10), co_err_generic_no_runnable_cothread);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
}

static void a_cothread_that_expires_waits_keeps_running(void)
{
    start();
    wait_in(wait_on_5, 10);
    wait_in(expire_as_cothread, 0);
    CHECK_TEXT(marks(), "e1");
}

static void a_respawned_handle_has_no_deadline(void)
{
    start();
    uint64_t next;
    for (int i = 0; i < 4; i++) {
        wait_in(wait_on_5, 10);
    }
    for (int i = 1; i <= 4; i++) {
        CHECK_EQUAL(microkit_cothread_destroy(i), co_no_err);
    }
    wait_in(wait_on_5_plainly, 0);
    CHECK_EQUAL(microkit_cothread_next_deadline(&next), co_err_no_deadline);
    CHECK_EQUAL(microkit_cothread_expire(10), co_no_err);
    CHECK_TEXT(marks(), "");
}

static void calls_before_init_say_so(void)
{
    uint64_t next;
    const co_err_t expected = co_err_generic_not_initialised;
    CHECK_REFUSED(microkit_cothread_block_until(1), expected);
    CHECK_REFUSED(microkit_cothread_wait_on_channel_until(1, 1), expected);
    CHECK_REFUSED(microkit_cothread_join_until(1, NULL, 1), expected);
    CHECK_REFUSED(microkit_cothread_semaphore_wait_until(&semaphore, 1), expected);
    CHECK_REFUSED(microkit_cothread_mutex_lock_until(&mutex, 1), expected);
    CHECK_REFUSED(microkit_cothread_condition_wait_until(&condition, &mutex, 1), expected);
    CHECK_REFUSED(microkit_cothread_expire(1), expected);
    CHECK_REFUSED(microkit_cothread_next_deadline(&next), expected);
    CHECK_REFUSED(microkit_cothread_cancel(1), expected);
    test_start();
    CHECK_REFUSED(microkit_cothread_next_deadline(NULL), co_err_generic_null_result);
    CHECK_REFUSED(microkit_cothread_cancel(-1), co_err_generic_invalid_handle);
    CHECK_REFUSED(microkit_cothread_wait_on_channel_until(62, 1), co_err_wait_invalid_channel);
}

int main(void)
{
    RUN(every_wait_ends_at_its_deadline);
    RUN(every_wait_can_be_cancelled);
    RUN(a_join_ends_at_its_deadline_without_a_value);
    RUN(what_ends_a_wait_first_counts);
    RUN(a_wait_that_ended_leaves_the_queue_in_order);
    RUN(waits_end_in_the_order_of_their_deadlines);
    RUN(plain_waits_do_not_end_early);
    RUN(a_condition_that_timed_out_has_the_mutex);
    RUN(a_signalled_condition_no_longer_times_out);
    RUN(the_root_waits_with_a_deadline_too);
    RUN(a_cothread_that_expires_waits_keeps_running);
    RUN(a_respawned_handle_has_no_deadline);
    RUN(calls_before_init_say_so);
    return test_end("deadline");
}
