/* Channels: declarations shared by the fast path and the slow paths. */
#ifndef LIMEN_COTHREAD_CHANNEL_H
#define LIMEN_COTHREAD_CHANNEL_H

#include "schedule.h"

LIMEN_CO_INLINE uint64_t bit_of(microkit_channel ch)
{
    return (uint64_t)1 << ch;
}

/* Takes a pending notification. */
LIMEN_CO_INLINE void take_kept(co_control_t *control, microkit_channel ch)
{
    if (LIMEN_CO_MOST_KEPT > 1 && control->kept_more[ch]) {
        control->kept_more[ch]--;
        return;
    }
    control->kept &= ~bit_of(ch);
}

/* Wakes all threads of a queue that is not empty. Threads that were ready before run first. */
co_err_t wake_all(co_control_t *control, limen_co_queue_t *queue) SHARED;

/* Handles a notification without a waiter. */
co_err_t nobody_waits(co_control_t *control, microkit_channel ch) RARE;

/* Returns the reason that this thread cannot receive. */
co_err_t cannot_receive(void) RARE;

/* Handles a wait before init, in the root, or after a stack overflow. */
co_err_t wait_outside_cothread(microkit_channel ch) RARE;

#endif /* LIMEN_COTHREAD_CHANNEL_H */
