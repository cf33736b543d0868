/* The life cycle of a cothread, from spawn to its end. */

#include "schedule.h"
#include "stack.h"

/* Prepares the thread's stack for a new cothread. */
static void prepare(co_control_t *control, co_tcb_t *thread)
{
    limen_co_queue_t nobody = { NULL };
    thread->joiners = nobody;
    thread->mutexes_held = 0;
    thread->is_result_kept = false;
    thread->can_end_early = false;
    thread->name[0] = '\0';
    thread->state = LIMEN_CO_INITIALISED;
#if defined(LIMEN_CO_STACK_BEGINS)
    LIMEN_CO_STACK_BEGINS(thread->stack, control->stack_bytes);
#endif
    stack_guard(thread->stack);
    limen_co_prepare(&thread->context, (uintptr_t)thread->stack, control->stack_bytes, limen_co_start);
}

co_err_t limen_cothread_spawn(client_entry_t entry, bool ready, limen_co_handle_t *handle, uintptr_t argument)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    if (REFUSED(!entry)) {
        return co_err_spawn_client_entry_null;
    }
    if (REFUSED(!handle)) {
        return co_err_generic_null_result;
    }
    if (queue_is_empty(&control->free)) {
        return co_err_spawn_max_cothreads_reached;
    }
    co_tcb_t *thread = queue_take(&control->free);
    prepare(control, thread);
    thread->entry = entry;
    thread->has_value = false;
    thread->argument = argument;
    if (ready) {
        make_ready(control, thread);
    }
    *handle = handle_of(control, thread);
    return co_no_err;
}

co_err_t limen_cothread_spawn_function(limen_co_function_t entry, bool ready, limen_co_handle_t *handle,
                                       uintptr_t argument)
{
    co_err_t error = limen_cothread_spawn((client_entry_t)entry, ready, handle, argument);
    if (error == co_no_err) {
        thread_of(limen_co_library.control, *handle)->has_value = true;
    }
    return error;
}

co_err_t limen_cothread_mark_ready(limen_co_handle_t handle)
{
    co_tcb_t *thread;
    co_err_t error = find_active(handle, &thread);
    if (error != co_no_err) {
        return error;
    }
    if (REFUSED(thread == running())) {
        return co_err_mark_ready_cannot_mark_self;
    }
    if (REFUSED(thread->state == LIMEN_CO_READY)) {
        return co_err_mark_ready_already_ready;
    }
    if (REFUSED(is_queued(thread))) {
        return co_err_mark_ready_waiting;
    }
    make_ready(limen_co_library.control, thread);
    return co_no_err;
}

/* Wakes all threads that joined it with the result. */
static void wake_joiners(co_control_t *control, co_tcb_t *thread, co_err_t outcome)
{
    while (!queue_is_empty(&thread->joiners)) {
        co_tcb_t *joiner = queue_take(&thread->joiners);
        joiner->outcome = outcome;
        joiner->result = thread->result;
        make_ready(control, joiner);
    }
}

static void release(co_control_t *control, co_tcb_t *thread)
{
    thread->state = LIMEN_CO_NOT_ACTIVE;
    queue_put(&control->free, thread);
}

static co_err_t return_from(co_control_t *control, co_tcb_t *self, size_t result)
{
    if (self->mutexes_held) {
        limen_cothread_panic(co_err_thread_ended_with_mutex, co_err_thread_ended_with_mutex);
    }
    self->result = result;
    self->is_result_kept = queue_is_empty(&self->joiners);
    wake_joiners(control, self, co_no_err);
    release(control, self);
    return leave_cothread(control, self);
}

void limen_co_begin(void)
{
    const co_tcb_t *self = limen_co_library.current;
    size_t value = 0;
    if (self->has_value) {
        value = ((limen_co_function_t)self->entry)();
    } else {
        self->entry();
    }
    return_from(limen_co_library.control, limen_co_library.current, value);
}

co_err_t limen_cothread_exit(size_t value)
{
    if (REFUSED(!limen_co_library.control)) {
        return co_err_generic_not_initialised;
    }
    if (!limen_co_library.current) {
        return co_err_exit_called_from_root_thread;
    }
    return return_from(limen_co_library.control, limen_co_library.current, value);
}

co_err_t limen_cothread_destroy(limen_co_handle_t handle)
{
    co_tcb_t *thread;
    co_err_t error = find_active(handle, &thread);
    if (error != co_no_err) {
        return error;
    }
    co_control_t *control = limen_co_library.control;
    if (thread == &control->root) {
        return co_err_destroy_specific_cannot_destroy_root;
    }
    if (thread->mutexes_held) {
        return co_err_destroy_specific_holds_mutex;
    }
    bool is_self = thread == limen_co_library.current;
    if (!is_self && is_queued(thread)) {
        queue_remove(queue_of(control, thread), thread);
    }
    wake_joiners(control, thread, co_err_join_target_destroyed);
    release(control, thread);
    return is_self ? leave_cothread(control, thread) : co_no_err;
}
