/* Semaphores: a count, and a queue of threads that wait until it is above 0. */

#include "schedule.h"

co_err_t limen_cothread_semaphore_init(limen_co_semaphore_t *semaphore, size_t count, size_t most)
{
    if (!semaphore) {
        return co_err_generic_null_result;
    }
    if (semaphore->self == semaphore && !queue_is_empty(&semaphore->waiting)) {
        return co_err_object_in_use;
    }
    if (count > most) {
        return co_err_semaphore_overflow;
    }
    *semaphore = (limen_co_semaphore_t) { .self = semaphore, .count = count, .most = most };
    return co_no_err;
}

static co_err_t check(const limen_co_semaphore_t *semaphore)
{
    if (REFUSED(!limen_co_library.control)) {
        return co_err_generic_not_initialised;
    }
    return REFUSED(!semaphore || semaphore->self != semaphore) ? co_err_object_not_initialised : co_no_err;
}

co_err_t limen_cothread_semaphore_wait(limen_co_semaphore_t *semaphore)
{
    co_err_t error = check(semaphore);
    if (error != co_no_err) {
        return error;
    }
    if (limen_co_semaphore_take(semaphore)) {
        return co_no_err;
    }
    return wait_in(&semaphore->waiting, LIMEN_CO_ON_SEMAPHORE);
}

static co_err_t add_one(limen_co_semaphore_t *semaphore)
{
    return limen_co_semaphore_add(semaphore) ? co_no_err : co_err_semaphore_overflow;
}

co_err_t limen_cothread_semaphore_signal(limen_co_semaphore_t *semaphore)
{
    co_err_t error = check(semaphore);
    if (error != co_no_err) {
        return error;
    }
    if (queue_is_empty(&semaphore->waiting)) {
        return add_one(semaphore);
    }
    make_ready(limen_co_library.control, queue_take(&semaphore->waiting));
    return co_no_err;
}

static co_err_t run_at_once(co_control_t *control, co_tcb_t *next)
{
    co_tcb_t *self = limen_co_library.current;
    if (!self) {
        return leave_root_for(&limen_co_library, next);
    }
    if (!limen_co_is_stack_sound(self)) {
        return stack_has_overflowed();
    }
    make_ready(control, self);
    next->state = LIMEN_CO_READY;
    limen_co_library.current = next == &control->root ? NULL : next;
    return switch_threads(self, next);
}

co_err_t limen_cothread_semaphore_hand_over(limen_co_semaphore_t *semaphore)
{
    co_err_t error = check(semaphore);
    if (error != co_no_err) {
        return error;
    }
    if (queue_is_empty(&semaphore->waiting)) {
        return add_one(semaphore);
    }
    return run_at_once(limen_co_library.control, queue_take(&semaphore->waiting));
}
