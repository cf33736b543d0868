/* Notifications: cothreads wait for them, the root delivers them.
 *
 * A blocking exchange with another domain passes once through two functions of this file. Rare cases are in other files
 * and called in tail position, so that the fast path needs no stack frame: check the disassembly after a change. */

#include "channel.h"

/* False before init, too. */
LIMEN_CO_INLINE bool can_receive(const struct limen_co_library *library, microkit_channel ch)
{
    return LIKELY(!library->current) && (!LIMEN_CO_CHECKS || LIKELY(ch < MICROKIT_MAX_CHANNELS));
}

co_err_t limen_cothread_recv_ntfn(microkit_channel ch)
{
    struct limen_co_library *library = limen_co_the_library();
    if (!can_receive(library, ch)) {
        return cannot_receive();
    }
    co_control_t *control = library->control;
    limen_co_queue_t *queue = &control->channels[ch];
    co_tcb_t *last = queue->last;
    if (UNLIKELY(!last)) {
        return nobody_waits(control, ch);
    }
    if (!LIMEN_CO_HAS_FAST_PATH || last->next != last) {
        return wake_all(control, queue);
    }
    queue->last = NULL;
    return leave_root_for(library, last);
}

co_err_t limen_cothread_recv_ntfn_one(microkit_channel ch)
{
    struct limen_co_library *library = limen_co_the_library();
    if (!can_receive(library, ch)) {
        return cannot_receive();
    }
    co_control_t *control = library->control;
    limen_co_queue_t *queue = &control->channels[ch];
    if (UNLIKELY(queue_is_empty(queue))) {
        return nobody_waits(control, ch);
    }
    return leave_root_for(library, queue_take(queue));
}

co_err_t limen_cothread_wait_on_channel(microkit_channel ch)
{
    co_tcb_t *self = limen_co_library.current;
    if (REFUSED(UNLIKELY(!self || !limen_co_is_stack_sound(self)))) {
        return wait_outside_cothread(ch);
    }
    if (REFUSED(UNLIKELY(ch >= MICROKIT_MAX_CHANNELS))) {
        return co_err_wait_invalid_channel;
    }
    co_control_t *control = limen_co_library.control;
    if (LIMEN_CO_KEEPS_NOTIFICATIONS && (control->kept & bit_of(ch))) {
        take_kept(control, ch);
        return co_no_err;
    }
    self->state = (uint8_t)(LIMEN_CO_ON_CHANNEL + ch);
    queue_put(&control->channels[ch], self);
    return leave_sound_cothread(control, self);
}
