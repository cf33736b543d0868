/* Waits that end early: at a deadline, or because another thread cancels them.
 *
 * A protection domain has no timer of its own, so the program says when time has passed. Each function here marks the thread
 * around the plain wait, so plain waits pay nothing. The marks of threads that do not wait are false:
 *
 *   wait_until            marks the thread, waits, removes the mark
 *   expire, cancel        wake a marked thread with a reason and remove the mark
 *   condition_signal      removes the mark: the thread waits for its mutex, without which it cannot return */

#include "schedule.h"

/* Before init there is no thread to mark, and the wait fails. */
static void mark(uint64_t deadline)
{
    if (limen_co_library.control) {
        co_tcb_t *self = running();
        self->deadline = deadline;
        self->outcome = co_no_err;
        self->can_end_early = true;
    }
}

/* The result of a wait that returned `error`. */
static co_err_t unmark(co_err_t error)
{
    if (limen_co_library.control) {
        co_tcb_t *self = running();
        self->can_end_early = false;
        return error == co_no_err ? self->outcome : error;
    }
    return error;
}

co_err_t limen_cothread_block_until(uint64_t deadline)
{
    mark(deadline);
    return unmark(limen_cothread_block());
}

co_err_t limen_cothread_wait_on_channel_until(microkit_channel ch, uint64_t deadline)
{
    mark(deadline);
    return unmark(limen_cothread_wait_on_channel(ch));
}

co_err_t limen_cothread_join_until(limen_co_handle_t handle, size_t *value, uint64_t deadline)
{
    mark(deadline);
    return unmark(limen_cothread_join(handle, value));
}

co_err_t limen_cothread_semaphore_wait_until(limen_co_semaphore_t *semaphore, uint64_t deadline)
{
    mark(deadline);
    return unmark(limen_cothread_semaphore_wait(semaphore));
}

co_err_t limen_cothread_mutex_lock_until(limen_co_mutex_t *mutex, uint64_t deadline)
{
    mark(deadline);
    return unmark(limen_cothread_mutex_lock(mutex));
}

co_err_t limen_cothread_condition_wait_until(limen_co_condition_t *condition, limen_co_mutex_t *mutex,
                                             uint64_t deadline)
{
    mark(deadline);
    return unmark(limen_cothread_condition_wait(condition, mutex));
}

/* A marked thread that is ready has been woken already. */
static bool can_end(const co_tcb_t *thread)
{
    return thread->can_end_early && (thread->state == LIMEN_CO_BLOCKED || thread->state > LIMEN_CO_READY);
}

static void end_wait(co_control_t *control, co_tcb_t *thread, co_err_t reason)
{
    thread->can_end_early = false;
    thread->outcome = reason;
    if (is_queued(thread)) {
        queue_remove(queue_of(control, thread), thread);
    }
    if (thread->state == LIMEN_CO_ON_CONDITION) {
        acquire_again(thread);
    } else {
        make_ready(control, thread);
    }
}

static bool has_deadline(const co_tcb_t *thread)
{
    return thread->deadline != LIMEN_CO_NO_DEADLINE && can_end(thread);
}

/* The waiting thread with the earliest deadline, the lowest handle among equals; null if no thread has a deadline. */
static co_tcb_t *earliest(co_control_t *control)
{
    co_tcb_t *found = has_deadline(&control->root) ? &control->root : NULL;
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        co_tcb_t *thread = &control->cothreads[i];
        if (has_deadline(thread) && (!found || thread->deadline < found->deadline)) {
            found = thread;
        }
    }
    return found;
}

co_err_t limen_cothread_expire(uint64_t now)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    co_tcb_t *thread = earliest(control);
    while (thread && thread->deadline <= now) {
        end_wait(control, thread, co_err_timed_out);
        thread = earliest(control);
    }
    return limen_co_library.current ? co_no_err : limen_cothread_run();
}

co_err_t limen_cothread_next_deadline(uint64_t *deadline)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    if (REFUSED(!deadline)) {
        return co_err_generic_null_result;
    }
    const co_tcb_t *thread = earliest(control);
    if (!thread) {
        return co_err_no_deadline;
    }
    *deadline = thread->deadline;
    return co_no_err;
}

co_err_t limen_cothread_cancel(limen_co_handle_t handle)
{
    co_tcb_t *thread;
    co_err_t error = find_active(handle, &thread);
    if (error != co_no_err) {
        return error;
    }
    if (!can_end(thread)) {
        return co_err_cancel_not_waiting;
    }
    end_wait(limen_co_library.control, thread, co_err_cancelled);
    return co_no_err;
}
