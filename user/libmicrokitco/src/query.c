/* Queries without side effects, and arguments and names, which only the program reads. */

#include "schedule.h"

co_err_t limen_cothread_state(limen_co_handle_t handle, limen_co_state_t *state)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    co_tcb_t *thread = thread_of(control, handle);
    if (REFUSED(!thread)) {
        return co_err_generic_invalid_handle;
    }
    if (REFUSED(!state)) {
        return co_err_generic_null_result;
    }
    limen_co_state_t stored = (limen_co_state_t)thread->state;
    stored = stored > LIMEN_CO_ON_CHANNEL ? LIMEN_CO_ON_CHANNEL : stored;
    *state = thread == running() ? LIMEN_CO_RUNNING : stored;
    return co_no_err;
}

co_err_t limen_cothread_next_handle(limen_co_handle_t *handle)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    if (REFUSED(!handle)) {
        return co_err_generic_null_result;
    }
    if (queue_is_empty(&control->free)) {
        return co_err_spawn_max_cothreads_reached;
    }
    *handle = handle_of(control, control->free.last->next);
    return co_no_err;
}

co_err_t limen_cothread_my_handle(limen_co_handle_t *handle)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    if (REFUSED(!handle)) {
        return co_err_generic_null_result;
    }
    *handle = handle_of(control, running());
    return co_no_err;
}

co_err_t limen_cothread_my_arg(uintptr_t *argument)
{
    if (REFUSED(!limen_co_library.control)) {
        return co_err_generic_not_initialised;
    }
    if (REFUSED(!limen_co_library.current)) {
        return co_err_my_arg_called_from_root_thread;
    }
    if (REFUSED(!argument)) {
        return co_err_generic_null_result;
    }
    *argument = limen_co_library.current->argument;
    return co_no_err;
}

/* Returns an active cothread, or null and the reason. */
static co_tcb_t *cothread_of(limen_co_handle_t handle, co_err_t *error)
{
    co_control_t *control = limen_co_library.control;
    *error = control ? co_err_generic_invalid_handle : co_err_generic_not_initialised;
    co_tcb_t *thread = control ? thread_of(control, handle) : NULL;
    bool is_cothread = thread && thread != &control->root && is_active(thread);
    return is_cothread ? thread : NULL;
}

co_err_t limen_cothread_set_arg(limen_co_handle_t handle, uintptr_t argument)
{
    co_err_t error;
    co_tcb_t *thread = cothread_of(handle, &error);
    if (REFUSED(!thread)) {
        return error;
    }
    thread->argument = argument;
    return co_no_err;
}

co_err_t limen_cothread_set_name(limen_co_handle_t handle, const char *name)
{
    co_err_t error;
    co_tcb_t *thread = cothread_of(handle, &error);
    if (REFUSED(!thread)) {
        return error;
    }
    if (REFUSED(!name)) {
        return co_err_generic_null_result;
    }
    size_t length = 0;
    while (length < LIMEN_CO_NAME_BYTES - 1 && name[length]) {
        thread->name[length] = name[length];
        length++;
    }
    thread->name[length] = '\0';
    return co_no_err;
}

const char *limen_cothread_name(limen_co_handle_t handle)
{
    co_err_t error;
    const co_tcb_t *thread = cothread_of(handle, &error);
    return thread ? thread->name : "";
}
