/* Semaphores, mutexes and conditions. */

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
static microkit_cothread_mutex_t second;
static microkit_cothread_condition_t condition;
static int items;

static void start(void)
{
    test_start();
    memset(&semaphore, 0, sizeof(semaphore));
    memset(&mutex, 0, sizeof(mutex));
    memset(&second, 0, sizeof(second));
    memset(&condition, 0, sizeof(condition));
    items = 0;
    CHECK_EQUAL(microkit_cothread_semaphore_init(&semaphore, 0), co_no_err);
    CHECK_EQUAL(microkit_cothread_mutex_init(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_mutex_init(&second), co_no_err);
    CHECK_EQUAL(microkit_cothread_condition_init(&condition), co_no_err);
}

static microkit_cothread_t spawn(client_entry_t entry)
{
    microkit_cothread_t handle = -1;
    CHECK_EQUAL(microkit_cothread_spawn(entry, true, &handle, 0), co_no_err);
    return handle;
}

static void mark_self(void)
{
    microkit_cothread_t self;
    microkit_cothread_my_handle(&self);
    mark((char)('0' + self));
}

static void wait_once(void)
{
    CHECK_EQUAL(microkit_cothread_semaphore_wait(&semaphore), co_no_err);
    mark_self();
}

static void signals_add_up(void)
{
    start();
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    spawn(wait_once);
    spawn(wait_once);
    spawn(wait_once);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "12");
    co_state_t state = cothread_not_active;
    CHECK_EQUAL(microkit_cothread_query_state(3, &state), co_no_err);
    CHECK_EQUAL(state, cothread_blocked_on_semaphore);
}

static void a_signal_wakes_the_one_who_waits_longest_and_does_not_switch(void)
{
    start();
    spawn(wait_once);
    spawn(wait_once);
    microkit_cothread_run();
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    mark('r');
    microkit_cothread_run();
    CHECK_TEXT(marks(), "r1");
}

static void a_destroyed_waiter_takes_no_signal(void)
{
    start();
    spawn(wait_once);
    spawn(wait_once);
    microkit_cothread_run();
    CHECK_EQUAL(microkit_cothread_destroy(1), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "2");
}

static void signal_for_root(void)
{
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
}

static void the_root_may_wait_for_what_a_cothread_does(void)
{
    start();
    spawn(signal_for_root);
    CHECK_EQUAL(microkit_cothread_semaphore_wait(&semaphore), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_wait(&semaphore), co_err_generic_no_runnable_cothread);
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_wait(&semaphore), co_no_err);
}

static void objects_must_be_initialised_and_not_copied(void)
{
    static microkit_cothread_semaphore_t raw_semaphore;
    static microkit_cothread_mutex_t raw_mutex;
    static microkit_cothread_condition_t raw_condition;
    start();
    CHECK_REFUSED(microkit_cothread_semaphore_wait(&raw_semaphore), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_semaphore_signal(&raw_semaphore), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_semaphore_signal(NULL), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_mutex_lock(&raw_mutex), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_mutex_unlock(&raw_mutex), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_condition_signal(&raw_condition), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_condition_broadcast(&raw_condition), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_condition_wait(&raw_condition, &mutex), co_err_object_not_initialised);
    microkit_cothread_semaphore_t copy = semaphore;
    CHECK_REFUSED(microkit_cothread_semaphore_wait(&copy), co_err_object_not_initialised);
    CHECK_REFUSED(microkit_cothread_semaphore_init(NULL, 0), co_err_generic_null_result);
    CHECK_REFUSED(microkit_cothread_mutex_init(NULL), co_err_generic_null_result);
    CHECK_REFUSED(microkit_cothread_condition_init(NULL), co_err_generic_null_result);
}

/* A semaphore counts before init; a wait that would block needs the library. */
static void before_init_objects_say_so(void)
{
    memset(&semaphore, 0, sizeof(semaphore));
    CHECK_REFUSED(microkit_cothread_semaphore_signal(&semaphore), co_err_generic_not_initialised);
    CHECK_EQUAL(microkit_cothread_semaphore_init(&semaphore, 0), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_wait(&semaphore), co_no_err);
    CHECK_REFUSED(microkit_cothread_semaphore_wait(&semaphore), co_err_generic_not_initialised);
    CHECK_REFUSED(microkit_cothread_mutex_lock(&mutex), co_err_generic_not_initialised);
    CHECK_REFUSED(microkit_cothread_mutex_unlock(&mutex), co_err_generic_not_initialised);
    CHECK_REFUSED(microkit_cothread_condition_wait(&condition, &mutex), co_err_generic_not_initialised);
    CHECK_REFUSED(microkit_cothread_condition_signal(&condition), co_err_generic_not_initialised);
}

static void wait_on_condition(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_condition_wait(&condition, &mutex), co_no_err);
    mark_self();
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
}

static void objects_in_use_are_not_initialised_again(void)
{
    start();
    spawn(wait_once);
    spawn(wait_on_condition);
    microkit_cothread_run();
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_init(&semaphore, 0), co_err_object_in_use);
    CHECK_EQUAL(microkit_cothread_mutex_init(&mutex), co_err_object_in_use);
    CHECK_EQUAL(microkit_cothread_condition_init(&condition), co_err_object_in_use);
}

static void counts_have_an_end(void)
{
    start();
    CHECK_EQUAL(limen_cothread_semaphore_init(&semaphore, 3, 2), co_err_semaphore_overflow);
    CHECK_EQUAL(limen_cothread_semaphore_init(&semaphore, 1, 2), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_no_err);
    CHECK_EQUAL(microkit_cothread_semaphore_signal(&semaphore), co_err_semaphore_overflow);
}

static void lock_and_yield(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    mark_self();
    microkit_cothread_yield();
    mark_self();
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
}

static void one_at_a_time_holds_a_mutex(void)
{
    start();
    spawn(lock_and_yield);
    spawn(lock_and_yield);
    spawn(lock_and_yield);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "112233");
    CHECK_EQUAL(microkit_cothread_mutex_try_lock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_mutex_try_lock(&mutex), co_err_mutex_locked);
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_err_mutex_deadlock_detected);
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
    CHECK_REFUSED(microkit_cothread_mutex_unlock(&mutex), co_err_mutex_not_holder);
}

static void lock_first_then_second(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_mutex_lock(&second), co_no_err);
    mark_self();
    microkit_cothread_mutex_unlock(&second);
    microkit_cothread_mutex_unlock(&mutex);
}

static void lock_second_then_first(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&second), co_no_err);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_err_mutex_deadlock_detected);
    mark_self();
    microkit_cothread_mutex_unlock(&second);
}

static void two_orders_of_locking_are_found(void)
{
    start();
    spawn(lock_first_then_second);
    spawn(lock_second_then_first);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "21");
}

static void lock_and_join_2(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_join(2), co_err_join_deadlock_detected);
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
    mark_self();
}

static void lock_and_return(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
    mark_self();
}

static void a_ring_of_a_join_and_a_mutex_is_found(void)
{
    start();
    spawn(lock_and_join_2);
    spawn(lock_and_return);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "12");
}

static void lock_and_block(void)
{
    microkit_cothread_mutex_lock(&mutex);
    microkit_cothread_block();
    microkit_cothread_mutex_unlock(&mutex);
}

static void who_holds_a_mutex_is_not_destroyed(void)
{
    start();
    spawn(lock_and_block);
    microkit_cothread_run();
    CHECK_EQUAL(microkit_cothread_destroy(1), co_err_destroy_specific_holds_mutex);
    CHECK_EQUAL(microkit_cothread_mark_ready(1), co_no_err);
    microkit_cothread_run();
    CHECK_EQUAL(microkit_cothread_mutex_try_lock(&mutex), co_no_err);
}

static void lock_and_end(void)
{
    microkit_cothread_mutex_lock(&mutex);
}

static void run_lock_and_end(void)
{
    start();
    spawn(lock_and_end);
    microkit_cothread_run();
}

static void who_ends_with_a_mutex_is_reported(void)
{
    CHECK_EQUAL(fault_of(run_lock_and_end), co_err_thread_ended_with_mutex);
    CHECK_TEXT(test_console, "host|cothread 1: the cothread ended while it held a mutex\n");
}

static void consume(void)
{
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    while (!items) {
        CHECK_EQUAL(microkit_cothread_condition_wait(&condition, &mutex), co_no_err);
    }
    items--;
    mark_self();
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
}

static void produce(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
        items++;
        CHECK_EQUAL(microkit_cothread_condition_signal(&condition), co_no_err);
        CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
        microkit_cothread_yield();
    }
}

static void a_condition_wakes_in_order(void)
{
    start();
    spawn(consume);
    spawn(consume);
    spawn(consume);
    spawn(produce);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "123");
    CHECK_EQUAL(items, 0);
}

static void broadcast_wakes_all_and_each_has_the_mutex(void)
{
    start();
    spawn(wait_on_condition);
    spawn(wait_on_condition);
    spawn(wait_on_condition);
    microkit_cothread_run();
    CHECK_EQUAL(microkit_cothread_condition_broadcast(&condition), co_no_err);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "123");
}

static void wait_without_mutex(void)
{
    CHECK_REFUSED(microkit_cothread_condition_wait(&condition, &mutex), co_err_mutex_not_holder);
    mark_self();
}

static void a_condition_needs_the_mutex(void)
{
    start();
    spawn(wait_without_mutex);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "1");
    CHECK_EQUAL(microkit_cothread_mutex_lock(&mutex), co_no_err);
    CHECK_EQUAL(microkit_cothread_condition_wait(&condition, &mutex), co_err_generic_no_runnable_cothread);
    CHECK_EQUAL(microkit_cothread_mutex_unlock(&mutex), co_no_err);
}

static void unsafe_leaves_out_the_check_for_copies(void)
{
    static microkit_cothread_semaphore_t copy;
    test_start();
    CHECK_EQUAL(microkit_cothread_semaphore_init(&semaphore, 1), co_no_err);
    copy = semaphore;
    CHECK_EQUAL(microkit_cothread_semaphore_wait(&copy), LIMEN_CO_CHECKS ? co_err_object_not_initialised : co_no_err);
}

int main(void)
{
    RUN(before_init_objects_say_so);
    RUN(signals_add_up);
    RUN(a_signal_wakes_the_one_who_waits_longest_and_does_not_switch);
    RUN(a_destroyed_waiter_takes_no_signal);
    RUN(the_root_may_wait_for_what_a_cothread_does);
    RUN(objects_must_be_initialised_and_not_copied);
    RUN(objects_in_use_are_not_initialised_again);
    RUN(counts_have_an_end);
    RUN(one_at_a_time_holds_a_mutex);
    RUN(two_orders_of_locking_are_found);
    RUN(a_ring_of_a_join_and_a_mutex_is_found);
    RUN(who_holds_a_mutex_is_not_destroyed);
    RUN(who_ends_with_a_mutex_is_reported);
    RUN(a_condition_wakes_in_order);
    RUN(broadcast_wakes_all_and_each_has_the_mutex);
    RUN(a_condition_needs_the_mutex);
    RUN(unsafe_leaves_out_the_check_for_copies);
    return test_end("objects");
}
