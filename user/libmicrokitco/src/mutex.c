/* Mutexes and conditions.
 *
 * Unlocking passes ownership to the next waiter; the mutex is never free in between. Signalling a condition moves a waiter
 * to the queue of the mutex, so that the waiter wakes only once. */

#include "schedule.h"

static void take(limen_co_mutex_t *mutex, co_tcb_t *thread)
{
    mutex->holder = thread;
    thread->mutexes_held++;
}

static void give_up(co_control_t *control, limen_co_mutex_t *mutex)
{
    mutex->holder->mutexes_held--;
    mutex->holder = NULL;
    if (!queue_is_empty(&mutex->waiting)) {
        co_tcb_t *next = queue_take(&mutex->waiting);
        take(mutex, next);
        make_ready(control, next);
    }
}

co_err_t limen_cothread_mutex_init(limen_co_mutex_t *mutex)
{
    if (!mutex) {
        return co_err_generic_null_result;
    }
    if (mutex->self == mutex && mutex->holder) {
        return co_err_object_in_use;
    }
    *mutex = (limen_co_mutex_t) { .self = mutex };
    return co_no_err;
}

static co_err_t check_mutex(const limen_co_mutex_t *mutex)
{
    if (REFUSED(!limen_co_library.control)) {
        return co_err_generic_not_initialised;
    }
    return REFUSED(!mutex || mutex->self != mutex) ? co_err_object_not_initialised : co_no_err;
}

static co_err_t check_holder(const limen_co_mutex_t *mutex)
{
    co_err_t error = check_mutex(mutex);
    if (error != co_no_err) {
        return error;
    }
    return REFUSED(mutex->holder != running()) ? co_err_mutex_not_holder : co_no_err;
}

co_err_t limen_cothread_mutex_lock(limen_co_mutex_t *mutex)
{
    co_err_t error = limen_cothread_mutex_try_lock(mutex);
    if (error != co_err_mutex_locked) {
        return error;
    }
    co_tcb_t *self = running();
    if (waits_for(mutex->holder, self)) {
        return co_err_mutex_deadlock_detected;
    }
    self->awaited.mutex = mutex;
    return wait_in(&mutex->waiting, LIMEN_CO_ON_MUTEX);
}

co_err_t limen_cothread_mutex_try_lock(limen_co_mutex_t *mutex)
{
    co_err_t error = check_mutex(mutex);
    if (error != co_no_err) {
        return error;
    }
    if (mutex->holder) {
        return co_err_mutex_locked;
    }
    take(mutex, running());
    return co_no_err;
}

co_err_t limen_cothread_mutex_unlock(limen_co_mutex_t *mutex)
{
    co_err_t error = check_holder(mutex);
    if (error == co_no_err) {
        give_up(limen_co_library.control, mutex);
    }
    return error;
}

co_err_t limen_cothread_condition_init(limen_co_condition_t *condition)
{
    if (!condition) {
        return co_err_generic_null_result;
    }
    if (condition->self == condition && !queue_is_empty(&condition->waiting)) {
        return co_err_object_in_use;
    }
    *condition = (limen_co_condition_t) { .self = condition };
    return co_no_err;
}

static co_err_t check_condition(const limen_co_condition_t *condition)
{
    if (REFUSED(!limen_co_library.control)) {
        return co_err_generic_not_initialised;
    }
    return REFUSED(!condition || condition->self != condition) ? co_err_object_not_initialised : co_no_err;
}

/* If the root's wait fails, it gets an error, and the mutex only if that is free: the result of unlock tells. */
co_err_t limen_cothread_condition_wait(limen_co_condition_t *condition, limen_co_mutex_t *mutex)
{
    co_err_t error = check_condition(condition);
    if (error == co_no_err) {
        error = check_holder(mutex);
    }
    if (error != co_no_err) {
        return error;
    }
    co_tcb_t *self = running();
    self->awaited.mutex = mutex;
    give_up(limen_co_library.control, mutex);
    error = wait_in(&condition->waiting, LIMEN_CO_ON_CONDITION);
    if (error != co_no_err && !mutex->holder) {
        take(mutex, self);
    }
    return error;
}

/* From here on, the wait cannot end without the mutex. */
void acquire_again(co_tcb_t *thread)
{
    thread->can_end_early = false;
    limen_co_mutex_t *mutex = thread->awaited.mutex;
    if (mutex->holder) {
        thread->state = LIMEN_CO_ON_MUTEX;
        thread->queue = &mutex->waiting;
        queue_put(thread->queue, thread);
        return;
    }
    take(mutex, thread);
    make_ready(limen_co_library.control, thread);
}

/* Moves the first waiter to the queue of its mutex. */
static void move_on(limen_co_condition_t *condition)
{
    acquire_again(queue_take(&condition->waiting));
}

co_err_t limen_cothread_condition_signal(limen_co_condition_t *condition)
{
    co_err_t error = check_condition(condition);
    if (error == co_no_err && !queue_is_empty(&condition->waiting)) {
        move_on(condition);
    }
    return error;
}

co_err_t limen_cothread_condition_broadcast(limen_co_condition_t *condition)
{
    co_err_t error = check_condition(condition);
    while (error == co_no_err && !queue_is_empty(&condition->waiting)) {
        move_on(condition);
    }
    return error;
}
