/* The model of model.h. */

#include <string.h>
#include "model.h"

static void put(struct list *list, uint8_t item)
{
    list->items[list->length++] = item;
}

static void take_out(struct list *list, uint8_t item)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < list->length; i++) {
        if (list->items[i] != item) {
            list->items[kept++] = list->items[i];
        }
    }
    memset(&list->items[kept], 0, (size_t)(THREADS - kept));
    list->length = kept;
}

static uint8_t take_first(struct list *list)
{
    uint8_t first = list->items[0];
    take_out(list, first);
    return first;
}

struct model model_start(void)
{
    struct model model;
    memset(&model, 0, sizeof(model));
    model.state[0] = LIMEN_CO_RUNNING;
    for (uint8_t thread = 1; thread < THREADS; thread++) {
        put(&model.free, thread);
        model.result[thread] = NO_RESULT;
    }
    return model;
}

static void make_ready(struct model *model, uint8_t thread, uint8_t result)
{
    model->can_end_early[thread] = false;
    model->state[thread] = LIMEN_CO_READY;
    model->result[thread] = result;
    model->join_target[thread] = 0;
    put(&model->ready, thread);
}

static void leave_queue(struct model *model, uint8_t thread)
{
    model->join_target[thread] = 0;
    take_out(&model->ready, thread);
    take_out(&model->semaphore, thread);
    for (int i = 0; i < CHANNELS; i++) {
        take_out(&model->channel[i], thread);
    }
    for (int i = 0; i < THREADS; i++) {
        take_out(&model->joiners[i], thread);
    }
}

static void run(struct model *model, uint8_t thread)
{
    model->running = thread;
    model->can_end_early[thread] = false;
    model->state[thread] = LIMEN_CO_RUNNING;
}

/* The first ready thread runs, or the root if none is ready. If the root waits for something, its wait fails then. */
static uint8_t schedule(struct model *model)
{
    uint8_t next = model->ready.length ? take_first(&model->ready) : 0;
    if (!next && model->state[0] != LIMEN_CO_READY) {
        leave_queue(model, 0);
        model->result[0] = co_err_generic_no_runnable_cothread;
    }
    run(model, next);
    uint8_t result = model->result[next];
    model->result[next] = co_no_err;
    return result;
}

static uint8_t wait_in(struct model *model, struct list *list, uint8_t state)
{
    uint8_t self = model->running;
    model->state[self] = state;
    put(list, self);
    return schedule(model);
}

/* A thread that has waited runs at once. */
static uint8_t switch_to(struct model *model, uint8_t thread)
{
    run(model, thread);
    return co_no_err;
}

static bool is_active(const struct model *model, uint8_t thread)
{
    return model->state[thread] != LIMEN_CO_NOT_ACTIVE;
}

static void end(struct model *model, uint8_t thread, uint8_t result_for_joiners)
{
    leave_queue(model, thread);
    model->can_end_early[thread] = false;
    while (model->joiners[thread].length) {
        make_ready(model, take_first(&model->joiners[thread]), result_for_joiners);
    }
    model->state[thread] = LIMEN_CO_NOT_ACTIVE;
    model->result[thread] = NO_RESULT;
    put(&model->free, thread);
}

static uint8_t yield(struct model *model)
{
    if (!model->ready.length) {
        return co_no_err;
    }
    make_ready(model, model->running, co_no_err);
    return schedule(model);
}

static uint8_t block(struct model *model)
{
    model->state[model->running] = LIMEN_CO_BLOCKED;
    return schedule(model);
}

static uint8_t return_from(struct model *model)
{
    uint8_t self = model->running;
    if (!self) {
        return co_err_exit_called_from_root_thread;
    }
    model->is_result_kept[self] = !model->joiners[self].length;
    end(model, self, co_no_err);
    return schedule(model);
}

static uint8_t spawn(struct model *model, bool ready)
{
    if (!model->free.length) {
        return co_err_spawn_max_cothreads_reached;
    }
    uint8_t thread = take_first(&model->free);
    model->is_result_kept[thread] = false;
    model->state[thread] = LIMEN_CO_INITIALISED;
    if (ready) {
        make_ready(model, thread, NO_RESULT);
    }
    return co_no_err;
}

static uint8_t mark_ready(struct model *model, uint8_t thread)
{
    switch (model->state[thread]) {
    case LIMEN_CO_NOT_ACTIVE:
        return co_err_generic_invalid_handle;
    case LIMEN_CO_RUNNING:
        return co_err_mark_ready_cannot_mark_self;
    case LIMEN_CO_READY:
        return co_err_mark_ready_already_ready;
    case LIMEN_CO_INITIALISED:
        make_ready(model, thread, NO_RESULT);
        return co_no_err;
    case LIMEN_CO_BLOCKED:
        make_ready(model, thread, co_no_err);
        return co_no_err;
    default:
        return co_err_mark_ready_waiting;
    }
}

static uint8_t destroy(struct model *model, uint8_t thread)
{
    if (!is_active(model, thread)) {
        return co_err_generic_invalid_handle;
    }
    if (!thread) {
        return co_err_destroy_specific_cannot_destroy_root;
    }
    bool is_self = thread == model->running;
    end(model, thread, co_err_join_target_destroyed);
    return is_self ? schedule(model) : co_no_err;
}

/* True if a chain of joins that starts at `thread`, which counts, leads to `other`. */
static bool leads_to(const struct model *model, uint8_t thread, uint8_t other)
{
    if (thread == other) {
        return true;
    }
    return model->state[thread] == LIMEN_CO_ON_JOIN && leads_to(model, model->join_target[thread], other);
}

static uint8_t join(struct model *model, uint8_t target)
{
    if (!target) {
        return co_err_join_cannot_join_to_root_thread;
    }
    if (!is_active(model, target)) {
        bool is_kept = model->is_result_kept[target];
        model->is_result_kept[target] = false;
        return is_kept ? co_no_err : co_err_generic_not_initialised;
    }
    if (leads_to(model, target, model->running)) {
        return co_err_join_deadlock_detected;
    }
    model->join_target[model->running] = target;
    return wait_in(model, &model->joiners[target], LIMEN_CO_ON_JOIN);
}

static uint8_t wait(struct model *model, uint8_t channel)
{
    if (model->kept[channel]) {
        model->kept[channel] = false;
        return co_no_err;
    }
    if (!model->running) {
        return co_err_wait_called_from_root_thread;
    }
    return wait_in(model, &model->channel[channel], LIMEN_CO_ON_CHANNEL);
}

/* The root waits, in no queue, until no thread is ready. */
static uint8_t let_others_run(struct model *model, uint8_t result)
{
    model->state[0] = LIMEN_CO_READY;
    model->result[0] = result;
    return schedule(model);
}

static uint8_t receive(struct model *model, uint8_t channel)
{
    struct list *waiting = &model->channel[channel];
    if (model->running) {
        return co_err_recv_ntfn_called_from_cothread;
    }
    if (!waiting->length) {
        uint8_t result = co_err_recv_ntfn_no_blocked;
        if (LIMEN_CO_KEEPS_NOTIFICATIONS) {
            result = model->kept[channel] ? co_err_recv_ntfn_already_queued : co_no_err;
            model->kept[channel] = true;
        }
        return let_others_run(model, result);
    }
    if ((waiting->length == 1 && LIMEN_CO_HAS_FAST_PATH) || LIBMICROKITCO_API == 2) {
        model->state[0] = LIMEN_CO_READY;
        return switch_to(model, take_first(waiting));
    }
    while (waiting->length) {
        make_ready(model, take_first(waiting), co_no_err);
    }
    return let_others_run(model, co_no_err);
}

static uint8_t semaphore_wait(struct model *model)
{
    if (model->count) {
        model->count--;
        return co_no_err;
    }
    return wait_in(model, &model->semaphore, LIMEN_CO_ON_SEMAPHORE);
}

/* The greatest count is 1. */
static uint8_t semaphore_signal(struct model *model)
{
    if (model->semaphore.length) {
        make_ready(model, take_first(&model->semaphore), co_no_err);
        return co_no_err;
    }
    if (model->count) {
        return co_err_semaphore_overflow;
    }
    model->count = 1;
    return co_no_err;
}

/* A cothread that passes the semaphore on is enqueued; the root waits, in no queue, until no thread is ready. */
static uint8_t semaphore_hand_over(struct model *model)
{
    if (!model->semaphore.length) {
        return semaphore_signal(model);
    }
    uint8_t next = take_first(&model->semaphore);
    if (model->running) {
        make_ready(model, model->running, co_no_err);
    } else {
        model->state[0] = LIMEN_CO_READY;
        model->result[0] = co_no_err;
    }
    return switch_to(model, next);
}

static uint8_t expire(struct model *model)
{
    for (uint8_t thread = 0; thread < THREADS; thread++) {
        if (model->can_end_early[thread]) {
            leave_queue(model, thread);
            make_ready(model, thread, co_err_timed_out);
        }
    }
    return model->running ? co_no_err : let_others_run(model, co_no_err);
}

static uint8_t cancel(struct model *model, uint8_t thread)
{
    if (!is_active(model, thread)) {
        return co_err_generic_invalid_handle;
    }
    if (!model->can_end_early[thread]) {
        return co_err_cancel_not_waiting;
    }
    leave_queue(model, thread);
    make_ready(model, thread, co_err_cancelled);
    return co_no_err;
}

static bool has_deadline(uint8_t action)
{
    return action == WAIT_UNTIL || action == JOIN_UNTIL || action == SEMAPHORE_WAIT_UNTIL;
}

static uint8_t call(struct model *model, struct step step)
{
    switch (step.action) {
    case YIELD:
        return yield(model);
    case BLOCK:
        return block(model);
    case RETURN:
        return return_from(model);
    case SPAWN:
        return spawn(model, false);
    case SPAWN_READY:
        return spawn(model, true);
    case MARK_READY:
        return mark_ready(model, step.subject);
    case DESTROY:
        return destroy(model, step.subject);
    case EXPIRE:
        return expire(model);
    case CANCEL:
        return cancel(model, step.subject);
    case JOIN:
    case JOIN_UNTIL:
        return join(model, step.subject);
    case WAIT:
    case WAIT_UNTIL:
        return wait(model, step.subject);
    case RECEIVE:
        return receive(model, step.subject);
    case SEMAPHORE_WAIT:
    case SEMAPHORE_WAIT_UNTIL:
        return semaphore_wait(model);
    case SEMAPHORE_HAND_OVER:
        return semaphore_hand_over(model);
    default:
        return semaphore_signal(model);
    }
}

uint8_t model_step(struct model *model, struct step step)
{
    uint8_t self = model->running;
    model->can_end_early[self] = has_deadline(step.action);
    uint8_t result = call(model, step);
    /* The call did not block, or its thread runs again. */
    model->can_end_early[model->running] = false;
    return result;
}
