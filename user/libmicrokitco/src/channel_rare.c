/* Slow paths: notifications with several waiters or none, and calls from the wrong thread. */

#include "channel.h"

co_err_t wake_all(co_control_t *control, limen_co_queue_t *queue)
{
    make_all_ready(control, queue);
    return leave_root_for(&limen_co_library, queue_take(&control->ready));
}

static co_err_t keep(co_control_t *control, microkit_channel ch)
{
    if (!(control->kept & bit_of(ch))) {
        control->kept |= bit_of(ch);
        return co_no_err;
    }
    if (control->kept_more[ch] == LIMEN_CO_MOST_KEPT - 1) {
        return co_err_recv_ntfn_already_queued;
    }
    control->kept_more[ch]++;
    return co_no_err;
}

/* Ready threads run first, because the root must not return to receive while any thread is ready. */
co_err_t nobody_waits(co_control_t *control, microkit_channel ch)
{
    co_err_t error = LIMEN_CO_KEEPS_NOTIFICATIONS ? keep(control, ch) : co_err_recv_ntfn_no_blocked;
    limen_cothread_run();
    return error;
}

co_err_t cannot_receive(void)
{
    if (!limen_co_library.control) {
        return co_err_generic_not_initialised;
    }
    return limen_co_library.current ? co_err_recv_ntfn_called_from_cothread : co_err_recv_ntfn_invalid_channel;
}

/* The root cannot wait; it may only take a pending notification. A cothread is here because of its stack. */
co_err_t wait_outside_cothread(microkit_channel ch)
{
    co_control_t *control = limen_co_library.control;
    if (!control) {
        return co_err_generic_not_initialised;
    }
    if (limen_co_library.current) {
        return stack_has_overflowed();
    }
    if (ch >= MICROKIT_MAX_CHANNELS) {
        return co_err_wait_invalid_channel;
    }
    if (!(control->kept & bit_of(ch))) {
        return co_err_wait_called_from_root_thread;
    }
    take_kept(control, ch);
    return co_no_err;
}
