/* The calls of tests/explore.c in both interfaces. */
#ifndef LIMEN_COTHREAD_CALLS_H
#define LIMEN_COTHREAD_CALLS_H

#include "model.h"

/* The deadline of all waits that have one. */
#define DEADLINE 10

/* With the fault address, the result of a call of interface 2 that faults. */
#define FAULT 0x80

#if LIBMICROKITCO_API == 1
static co_err_t spawn(client_entry_t entry, bool ready)
{
    microkit_cothread_t handle;
    return microkit_cothread_spawn(entry, ready, &handle, 0);
}

/* Makes a call and returns its result. */
static uint8_t perform(struct step step, client_entry_t entry, limen_co_semaphore_t *semaphore)
{
    switch (step.action) {
    case YIELD:
        return (uint8_t)microkit_cothread_yield();
    case BLOCK:
        return (uint8_t)microkit_cothread_block();
    case RETURN:
        return (uint8_t)microkit_cothread_exit(0);
    case SPAWN:
        return (uint8_t)spawn(entry, false);
    case SPAWN_READY:
        return (uint8_t)spawn(entry, true);
    case MARK_READY:
        return (uint8_t)microkit_cothread_mark_ready(step.subject);
    case DESTROY:
        return (uint8_t)microkit_cothread_destroy(step.subject);
    case JOIN:
        return (uint8_t)microkit_cothread_join(step.subject);
    case WAIT:
        return (uint8_t)microkit_cothread_wait_on_channel(step.subject);
    case RECEIVE:
        return (uint8_t)microkit_cothread_recv_ntfn(step.subject);
    case SEMAPHORE_WAIT:
        return (uint8_t)microkit_cothread_semaphore_wait(semaphore);
    case WAIT_UNTIL:
        return (uint8_t)microkit_cothread_wait_on_channel_until(step.subject, DEADLINE);
    case JOIN_UNTIL:
        return (uint8_t)microkit_cothread_join_until(step.subject, NULL, DEADLINE);
    case SEMAPHORE_WAIT_UNTIL:
        return (uint8_t)microkit_cothread_semaphore_wait_until(semaphore, DEADLINE);
    case EXPIRE:
        return (uint8_t)microkit_cothread_expire(DEADLINE);
    case CANCEL:
        return (uint8_t)microkit_cothread_cancel(step.subject);
    case SEMAPHORE_HAND_OVER:
        return (uint8_t)limen_cothread_semaphore_hand_over(semaphore);
    default:
        return (uint8_t)microkit_cothread_semaphore_signal(semaphore);
    }
}

/* What a call that has the model's result returns. */
static uint8_t shown(uint8_t result)
{
    return result;
}
#else
static uint8_t returned(co_wait_end_t end)
{
    static const uint8_t errors[] = { co_no_err, co_err_timed_out, co_err_cancelled };
    return errors[end];
}

/* Makes a call and returns its result, as an error code. Calls that interface 2 does not have are not explored. */
static uint8_t perform(struct step step, client_entry_t entry, limen_co_semaphore_t *semaphore)
{
    switch (step.action) {
    case SPAWN_READY:
        return microkit_cothread_spawn(entry, NULL) < 0 ? co_err_spawn_max_cothreads_reached : co_no_err;
    case WAIT_UNTIL:
        return returned(microkit_cothread_wait_on_channel_until(step.subject, DEADLINE));
    case SEMAPHORE_WAIT_UNTIL:
        return returned(microkit_cothread_semaphore_wait_until(semaphore, DEADLINE));
    case CANCEL:
        return microkit_cothread_cancel(step.subject) ? co_no_err : co_err_cancel_not_waiting;
    case RETURN:
        return (uint8_t)limen_cothread_exit(0);
    case YIELD:
        microkit_cothread_yield();
        break;
    case DESTROY:
        microkit_cothread_destroy(step.subject);
        break;
    case WAIT:
        microkit_cothread_wait_on_channel(step.subject);
        break;
    case RECEIVE:
        microkit_cothread_recv_ntfn(step.subject);
        break;
    case SEMAPHORE_WAIT:
        microkit_cothread_semaphore_wait(semaphore);
        break;
    case SEMAPHORE_HAND_OVER:
        microkit_cothread_semaphore_signal(semaphore);
        break;
    case SEMAPHORE_SIGNAL:
        microkit_cothread_semaphore_post(semaphore);
        break;
    case EXPIRE:
        microkit_cothread_expire(DEADLINE);
        break;
    default:
        return NO_RESULT - 1;
    }
    return co_no_err;
}

/* What a call that has the model's result returns, or FAULT and the address at which it faults. */
static uint8_t shown(uint8_t result)
{
    switch (result) {
    case co_err_recv_ntfn_already_queued:
    case co_err_semaphore_overflow:
        return co_no_err;
    case NO_RESULT:
    case co_no_err:
    case co_err_timed_out:
    case co_err_cancelled:
    case co_err_cancel_not_waiting:
    case co_err_spawn_max_cothreads_reached:
    case co_err_exit_called_from_root_thread:
        return result;
    default:
        return FAULT | (uint8_t)limen_co_fatal_address((co_err_t)result);
    }
}
#endif

#endif /* LIMEN_COTHREAD_CALLS_H */
