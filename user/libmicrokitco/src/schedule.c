/* Scheduling: yield, block, and the root's waiting while other threads run. */

#include "schedule.h"

static uintptr_t unsound_stack;

co_tcb_t limen_co_before_init = { .stack = &unsound_stack };

struct limen_co_library limen_co_library = { .current = &limen_co_before_init };

void make_all_ready(co_control_t *control, limen_co_queue_t *queue)
{
    while (!queue_is_empty(queue)) {
        make_ready(control, queue_take(queue));
    }
}

co_err_t leave_for_first(co_tcb_t *self, co_control_t *control)
{
    co_tcb_t *next = queue_take(&control->ready);
    limen_co_library.current = next == &control->root ? NULL : next;
    return switch_threads(self, next);
}

/* The root's wait has failed if it resumes without having been made ready. */
static co_err_t give_up_waiting(co_control_t *control)
{
    co_tcb_t *root = &control->root;
    if (is_queued(root)) {
        queue_remove(queue_of(control, root), root);
    }
    root->state = LIMEN_CO_READY;
    return co_err_generic_no_runnable_cothread;
}

/* Switches away from the root, whose next state is already set. */
static co_err_t leave_root(co_control_t *control)
{
    co_tcb_t *root = &control->root;
    if (!queue_is_empty(&control->ready)) {
        leave_root_for(&limen_co_library, queue_take(&control->ready));
    }
    return root->state == LIMEN_CO_READY ? co_no_err : give_up_waiting(control);
}

static co_err_t leave(co_control_t *control, co_tcb_t *self)
{
    return limen_co_library.current ? leave_cothread(control, self) : leave_root(control);
}

co_err_t wait_in(limen_co_queue_t *queue, limen_co_state_t state)
{
    co_tcb_t *self = running();
    self->state = (uint8_t)state;
    self->queue = queue;
    queue_put(queue, self);
    return leave(limen_co_library.control, self);
}

co_err_t limen_cothread_yield(void)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(UNLIKELY(!control))) {
        return co_err_generic_not_initialised;
    }
    if (queue_is_empty(&control->ready)) {
        return co_no_err;
    }
    co_tcb_t *self = running();
    make_ready(control, self);
    return leave(control, self);
}

co_err_t limen_cothread_block(void)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(UNLIKELY(!control))) {
        return co_err_generic_not_initialised;
    }
    co_tcb_t *self = running();
    self->state = LIMEN_CO_BLOCKED;
    return leave(control, self);
}

co_err_t limen_cothread_run(void)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(UNLIKELY(!control))) {
        return co_err_generic_not_initialised;
    }
    if (limen_co_library.current) {
        return co_err_run_called_from_cothread;
    }
    return leave_root(control);
}

static const co_tcb_t *awaited_by(const co_tcb_t *thread)
{
    switch (thread->state) {
    case LIMEN_CO_ON_JOIN:
        return thread->awaited.thread;
    case LIMEN_CO_ON_MUTEX:
        return thread->awaited.mutex->holder;
    default:
        return NULL;
    }
}

/* Signalling a condition can close a ring of other waiters, so the walk is bounded. */
bool waits_for(const co_tcb_t *thread, const co_tcb_t *other)
{
    for (size_t steps = 0; thread && steps <= LIMEN_CO_COTHREADS; steps++) {
        if (thread == other) {
            return true;
        }
        thread = awaited_by(thread);
    }
    return false;
}
