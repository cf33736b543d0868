/* Waiting for the end of a cothread.
 *
 * The return value goes to the threads that wait for the cothread. If none waits, the first later join gets it, unless a
 * new cothread has taken the handle by then. */

#include "schedule.h"

static co_err_t collect(co_tcb_t *target, size_t *value)
{
    if (!target->is_result_kept) {
        return co_err_generic_not_initialised;
    }
    target->is_result_kept = false;
    *value = target->result;
    return co_no_err;
}

static co_err_t wait_for_end(co_tcb_t *self, co_tcb_t *target, size_t *value)
{
    self->awaited.thread = target;
    co_err_t error = wait_in(&target->joiners, LIMEN_CO_ON_JOIN);
    if (error == co_no_err) {
        error = self->outcome;
    }
    if (error == co_no_err) {
        *value = self->result;
    }
    return error;
}

co_err_t limen_cothread_join(limen_co_handle_t handle, size_t *value)
{
    size_t unwanted;
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    co_tcb_t *target = thread_of(control, handle);
    if (REFUSED(!target)) {
        return co_err_generic_invalid_handle;
    }
    if (target == &control->root) {
        return co_err_join_cannot_join_to_root_thread;
    }
    value = value ? value : &unwanted;
    if (!is_active(target)) {
        return collect(target, value);
    }
    co_tcb_t *self = running();
    return waits_for(target, self) ? co_err_join_deadlock_detected : wait_for_end(self, target, value);
}
