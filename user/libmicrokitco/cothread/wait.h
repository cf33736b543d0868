/* Frequent switches, inline: a wait of the only cothread that can run, a notification for one waiter, and a yield to another
 * cothread. Anything else calls the library, which makes every check again. */
#ifndef LIMEN_COTHREAD_WAIT_H
#define LIMEN_COTHREAD_WAIT_H

#define LIMEN_CO_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* Switches with message words of each thread's own are not inline. */
#define LIMEN_CO_IS_INLINE (LIMEN_CO_HAS_INLINE_WAITS && !LIMEN_CO_OWN_WORDS)

/* The address is hidden from the compiler, which would otherwise compute the address of each member separately. */
LIMEN_CO_INLINE struct limen_co_library *limen_co_the_library(void)
{
    struct limen_co_library *library = &limen_co_library;
    __asm__ ("" : "+r"(library));
    return library;
}

/* An overflow overwrites the lowest word of the stack, or skips it. */
LIMEN_CO_INLINE bool limen_co_is_stack_sound(const co_tcb_t *cothread)
{
    return !LIMEN_CO_CHECKS || LIMEN_CO_LIKELY(*cothread->stack == (uintptr_t)cothread->stack);
}

LIMEN_CO_INLINE bool limen_co_can_wait_inline(const co_tcb_t *self, microkit_channel ch)
{
    return LIMEN_CO_IS_INLINE && LIMEN_CO_LIKELY(self) && LIMEN_CO_LIKELY(ch < MICROKIT_MAX_CHANNELS)
           && limen_co_is_stack_sound(self);
}

/* The cothread is alone: no thread is ready, none waits for the channel, which has no pending notification. */
LIMEN_CO_INLINE bool limen_co_is_alone(const co_control_t *control, microkit_channel ch)
{
    return LIMEN_CO_LIKELY(!control->ready.last) && LIMEN_CO_LIKELY(!control->channels[ch].last)
           && !(LIMEN_CO_KEEPS_NOTIFICATIONS && (control->kept >> ch & 1));
}

LIMEN_CO_INLINE co_err_t limen_co_wait_on_channel(microkit_channel ch)
{
    struct limen_co_library *library = limen_co_the_library();
    co_tcb_t *self = library->current;
    if (LIMEN_CO_LIKELY(limen_co_can_wait_inline(self, ch) && limen_co_is_alone(library->control, ch))) {
        co_control_t *control = library->control;
        self->state = (uint8_t)(LIMEN_CO_ON_CHANNEL + ch);
        control->channels[ch].last = self;
        library->current = NULL;
        return limen_co_return_to_root(&self->context, &control->root.context);
    }
    return limen_cothread_wait_on_channel(ch);
}

/* Delivers a notification to a single waiter; `library_call` does anything else. Compilers merge conditions of one `if` into
 * more instructions than two branches take. */
LIMEN_CO_INLINE co_err_t limen_co_recv_ntfn(microkit_channel ch, co_err_t (*library_call)(microkit_channel))
{
    struct limen_co_library *library = limen_co_the_library();
    if (!LIMEN_CO_IS_INLINE || !LIMEN_CO_HAS_FAST_PATH || !LIMEN_CO_LIKELY(!library->current)) {
        return library_call(ch);
    }
    if (LIMEN_CO_CHECKS && !LIMEN_CO_LIKELY(ch < MICROKIT_MAX_CHANNELS)) {
        return library_call(ch);
    }
    limen_co_queue_t *queue = &library->control->channels[ch];
    co_tcb_t *only = queue->last;
    if (!LIMEN_CO_LIKELY(only) || !LIMEN_CO_LIKELY(only->next == only)) {
        return library_call(ch);
    }
    queue->last = NULL;
    library->current = only;
    limen_co_leave_root(&library->control->root.context, &only->context);
    return co_no_err;
}

/* Switches to the first ready thread, if that is a cothread. */
LIMEN_CO_INLINE co_err_t limen_co_yield(void)
{
    struct limen_co_library *library = limen_co_the_library();
    co_tcb_t *self = library->current;
    if (!LIMEN_CO_IS_INLINE || !LIMEN_CO_LIKELY(self) || !limen_co_is_stack_sound(self)) {
        return limen_cothread_yield();
    }
    co_control_t *control = library->control;
    co_tcb_t *last = control->ready.last;
    if (!LIMEN_CO_LIKELY(last) || !LIMEN_CO_LIKELY(last->next != &control->root)) {
        return limen_cothread_yield();
    }
    co_tcb_t *first = last->next;
    last->next = self;
    self->next = first->next;
    first->next = first;
    self->state = LIMEN_CO_READY;
    control->ready.last = self;
    library->current = first;
    return limen_co_switch(&self->context, &first->context);
}

#endif /* LIMEN_COTHREAD_WAIT_H */
