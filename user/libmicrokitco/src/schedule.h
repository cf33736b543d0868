/* The running thread, and the switch to the next one. Every blocking operation includes this, because it is on every fast
 * path. */
#ifndef LIMEN_COTHREAD_SCHEDULE_H
#define LIMEN_COTHREAD_SCHEDULE_H

#include <libmicrokitco.h>
#include "queue.h"

#if defined(LIMEN_CO_USES_LIBCO)
#include "libco.h"
#endif

#define LIKELY LIMEN_CO_LIKELY
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* The condition of a check that LIBMICROKITCO_UNSAFE leaves out: false without evaluating it. */
#define REFUSED(condition) (LIMEN_CO_CHECKS && (condition))

/* The running cothread before init. Its stack is not sound, so that fast paths, which check that, end in the library. */
extern co_tcb_t limen_co_before_init __attribute__((visibility("hidden")));

/* Only after init. */
LIMEN_CO_INLINE co_tcb_t *running(void)
{
    return limen_co_library.current ? limen_co_library.current : &limen_co_library.control->root;
}

LIMEN_CO_INLINE limen_co_handle_t handle_of(const co_control_t *control, const co_tcb_t *thread)
{
    bool is_root = thread == &control->root;
    return is_root ? MICROKITCO_ROOT_THREAD : (limen_co_handle_t)(thread - control->cothreads) + 1;
}

/* The thread with a handle, or null. */
LIMEN_CO_INLINE co_tcb_t *thread_of(co_control_t *control, limen_co_handle_t handle)
{
    if (handle == MICROKITCO_ROOT_THREAD) {
        return &control->root;
    }
    return handle > 0 && handle <= LIMEN_CO_COTHREADS ? &control->cothreads[handle - 1] : NULL;
}

LIMEN_CO_INLINE bool is_active(const co_tcb_t *thread)
{
    return thread->state != LIMEN_CO_NOT_ACTIVE;
}

LIMEN_CO_INLINE co_err_t find_active(limen_co_handle_t handle, co_tcb_t **thread)
{
    if (REFUSED(!limen_co_library.control)) {
        return co_err_generic_not_initialised;
    }
    *thread = thread_of(limen_co_library.control, handle);
    return REFUSED(!*thread || !is_active(*thread)) ? co_err_generic_invalid_handle : co_no_err;
}

/* True if the thread is in a queue; not for the running thread. */
LIMEN_CO_INLINE bool is_queued(const co_tcb_t *thread)
{
    return thread->state >= LIMEN_CO_READY;
}

/* The queue of such a thread. */
LIMEN_CO_INLINE limen_co_queue_t *queue_of(co_control_t *control, const co_tcb_t *thread)
{
    if (thread->state >= LIMEN_CO_ON_CHANNEL) {
        return &control->channels[thread->state - LIMEN_CO_ON_CHANNEL];
    }
    return thread->state == LIMEN_CO_READY ? &control->ready : thread->queue;
}

LIMEN_CO_INLINE void make_ready(co_control_t *control, co_tcb_t *thread)
{
    thread->state = LIMEN_CO_READY;
    queue_put(&control->ready, thread);
}

/* Callers call rare functions in tail position, so that compilers emit a jump and the caller needs no stack frame. */
#define RARE __attribute__((visibility("hidden"), cold))
#define SHARED __attribute__((visibility("hidden")))

/* Makes the whole queue ready, in its order. */
void make_all_ready(co_control_t *control, limen_co_queue_t *queue) SHARED;

/* Saves the message words of the running thread and sends its deferred signal. */
void save_messages(co_tcb_t *thread) SHARED;
void restore_messages(const co_tcb_t *thread) SHARED;

/* Switches between two threads. A thread that begins has no message words to restore. */
LIMEN_CO_INLINE co_err_t switch_threads(co_tcb_t *from, const co_tcb_t *to)
{
    if (!LIMEN_CO_OWN_WORDS) {
        return limen_co_call(&from->context, &to->context);
    }
    save_messages(from);
    co_err_t error = limen_co_call(&from->context, &to->context);
    restore_messages(from);
    return error;
}

/* Switches from a cothread to the first ready one, which must exist. The arguments have the order of a switch to the root,
 * so that they are in the right registers for both. */
co_err_t leave_for_first(co_tcb_t *self, co_control_t *control) SHARED;

/* Reports the overflow and does not return. */
co_err_t stack_has_overflowed(void) RARE;

/* Switches from a cothread, whose next state is already set, to the first ready cothread, or else to the root. */
LIMEN_CO_INLINE co_err_t leave_sound_cothread(co_control_t *control, co_tcb_t *self)
{
    if (!queue_is_empty(&control->ready)) {
        return leave_for_first(self, control);
    }
    limen_co_library.current = NULL;
    return switch_threads(self, &control->root);
}

LIMEN_CO_INLINE co_err_t leave_cothread(co_control_t *control, co_tcb_t *self)
{
    return limen_co_is_stack_sound(self) ? leave_sound_cothread(control, self) : stack_has_overflowed();
}

/* Switches from the root to a cothread. */
LIMEN_CO_INLINE co_err_t leave_root_for(struct limen_co_library *library, co_tcb_t *next)
{
    co_control_t *control = library->control;
    library->current = next;
    if (LIMEN_CO_OWN_WORDS) {
        save_messages(&control->root);
    }
    limen_co_leave_root(&control->root.context, &next->context);
    if (LIMEN_CO_OWN_WORDS) {
        restore_messages(&control->root);
    }
    return co_no_err;
}

/* Blocks the running thread in a queue until another thread makes it ready. In the root, returns an error if no other
 * thread can run, because then no thread could wake it. */
co_err_t wait_in(limen_co_queue_t *queue, limen_co_state_t state) SHARED;

/* Has a thread that left a condition's queue acquire its mutex, or wait for it. */
void acquire_again(co_tcb_t *thread) SHARED;

/* True if a thread waits for another one, directly or through a chain of joins and mutexes. */
bool waits_for(const co_tcb_t *thread, const co_tcb_t *other) SHARED;

#endif /* LIMEN_COTHREAD_SCHEDULE_H */
