/* Explores every reachable state of the model and makes every call in each: the library must behave as the model does.
 *
 *   explore [GROUPS]     letters of groups of calls; default: all
 *
 * The search is breadth first. For each state and call, the test replays the calls that lead from init to the state,
 * makes the call, and compares everything: the running thread, the result of its last call, the state of each thread,
 * and the order of each queue. Invariants are checked on the model itself. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "calls.h"
#include "../../src/schedule.h"

#define STACK_BYTES 0x1000

/* A state, and the last call on a shortest path to it. */
struct node {
    struct model model;
    uint32_t parent;
    struct step step;
    uint8_t depth;
};

static struct node *nodes;
static uint32_t node_count;
static uint32_t node_room;
static uint32_t *buckets;
static uint32_t bucket_mask;

/* The calls of the library's current run. */
static struct step script[256];
static size_t script_length;
static size_t position;
static uint8_t last_result;

static char stacks[THREADS][2 * STACK_BYTES] __attribute__((aligned(LIMEN_CO_ALIGNMENT)));
static char controller[LIBMICROKITCO_CONTROLLER_SIZE];
/* Both as init has left them. */
static char fresh_controller[LIBMICROKITCO_CONTROLLER_SIZE];
static struct limen_co_library fresh_library;
static limen_co_semaphore_t semaphore;
static limen_co_context_t driver;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

static void follow_script(void);

/* The running thread makes the next call. After the last call, the driver continues. */
static void continue_script(void)
{
    while (position < script_length) {
        struct step step = script[position++];
        last_result = perform(step, follow_script, &semaphore);
    }
    static limen_co_context_t abandoned;
    limen_co_switch(&abandoned, &driver);
}

/* The code of every thread. */
static void follow_script(void)
{
    last_result = NO_RESULT;
    continue_script();
}

/* The thread that faulted makes the next call, because a call that fails changes nothing. */
static void note_fault(seL4_Error address)
{
    last_result = FAULT | (uint8_t)address;
    continue_script();
}

static void start_root(void)
{
    uintptr_t addresses[LIMEN_CO_COTHREADS];
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        addresses[i] = (uintptr_t)stacks[i + 1];
    }
    limen_cothread_init((uintptr_t)controller, STACK_BYTES, addresses, LIMEN_CO_AGREED);
    memcpy(fresh_controller, controller, sizeof(controller));
    fresh_library = limen_co_library;
    follow_script();
}

static void run_script(void)
{
    limen_co_context_t root;
    static char console[256];
    limen_host_reset();
    console[0] = '\0';
    limen_host_set_console(console, sizeof(console));
    limen_host_set_crash(note_fault);
    memset(&semaphore, 0, sizeof(semaphore));
    limen_cothread_semaphore_init(&semaphore, 0, 1);
    position = 0;
    /* Only the first run calls init, which writes all of each stack. */
    bool is_first = !fresh_library.control;
    if (!is_first) {
        memcpy(controller, fresh_controller, sizeof(controller));
        limen_co_library = fresh_library;
    }
    limen_co_prepare(&root, (uintptr_t)stacks[0], sizeof(stacks[0]), is_first ? start_root : follow_script);
    limen_co_switch(&driver, &root);
}

static bool same_list(const limen_co_queue_t *queue, const struct list *list)
{
    const co_control_t *control = limen_co_library.control;
    const co_tcb_t *thread = queue->last;
    for (uint8_t i = 0; i < list->length; i++) {
        if (!thread) {
            return false;
        }
        thread = thread->next;
        bool is_there = thread->state == LIMEN_CO_NOT_ACTIVE || queue_of(limen_co_library.control, thread) == queue;
        if (handle_of(control, thread) != list->items[i] || !is_there) {
            return false;
        }
    }
    return thread == queue->last;
}

static bool same_threads(const struct model *model)
{
    for (int handle = 0; handle < THREADS; handle++) {
        limen_co_state_t state;
        limen_cothread_state(handle, &state);
        const co_tcb_t *thread = thread_of(limen_co_library.control, handle);
        bool is_active = state != LIMEN_CO_NOT_ACTIVE;
        if (state != model->state[handle] || (is_active && !same_list(&thread->joiners, &model->joiners[handle]))
            || thread->is_result_kept != model->is_result_kept[handle]) {
            return false;
        }
    }
    return true;
}

static bool same(const struct model *model)
{
    const co_control_t *control = limen_co_library.control;
    bool kept = true;
    for (int ch = 0; ch < CHANNELS; ch++) {
        kept = kept && (control->kept >> ch & 1) == model->kept[ch];
        kept = kept && same_list(&control->channels[ch], &model->channel[ch]);
    }
    return kept && handle_of(control, running()) == model->running && same_list(&control->ready, &model->ready)
           && same_list(&control->free, &model->free) && same_list(&semaphore.waiting, &model->semaphore)
           && semaphore.count == model->count && same_threads(model);
}

static const char *const names[ACTIONS] = {
    "yield", "block", "return", "spawn", "spawn_ready", "mark_ready", "destroy", "join", "wait", "receive",
    "semaphore_wait", "semaphore_signal", "wait_until", "join_until", "semaphore_wait_until", "expire", "cancel",
    "semaphore_hand_over",
};

static void report(uint8_t wanted)
{
    printf("TEST explore FAIL after");
    for (size_t i = 0; i < script_length; i++) {
        printf(" %s(%d)", names[script[i].action], script[i].subject);
    }
    printf(": result %d, wanted %d\n", last_result, wanted);
}

/* The hash of a model: FNV-1a over its bytes. */
static uint32_t bucket_of(const struct model *model)
{
    uint64_t hash = 0xcbf29ce484222325u;
    const unsigned char *bytes = (const unsigned char *)model;
    for (size_t i = 0; i < sizeof(*model); i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return (uint32_t)(hash >> 16) & bucket_mask;
}

static void add(const struct model *model, uint32_t parent, struct step step)
{
    uint32_t bucket = bucket_of(model);
    while (buckets[bucket]) {
        if (memcmp(&nodes[buckets[bucket] - 1].model, model, sizeof(*model)) == 0) {
            return;
        }
        bucket = (bucket + 1) & bucket_mask;
    }
    if (node_count == node_room) {
        fprintf(stderr, "there are more than %u states\n", node_room);
        exit(2);
    }
    uint8_t depth = node_count ? (uint8_t)(nodes[parent].depth + 1) : 0;
    nodes[node_count] = (struct node) { .model = *model, .parent = parent, .step = step, .depth = depth };
    buckets[bucket] = ++node_count;
}

static void write_script(uint32_t node, struct step last)
{
    script_length = nodes[node].depth + 1u;
    script[script_length - 1] = last;
    for (size_t i = script_length - 1; i > 0; i--) {
        script[i - 1] = nodes[node].step;
        node = nodes[node].parent;
    }
}

static int times_in(const struct list *list, uint8_t thread)
{
    int times = 0;
    for (uint8_t i = 0; i < list->length; i++) {
        times += list->items[i] == thread;
    }
    return times;
}

static int queues_with(const struct model *model, uint8_t thread)
{
    int times = times_in(&model->ready, thread) + times_in(&model->free, thread) + times_in(&model->semaphore, thread);
    for (int i = 0; i < CHANNELS; i++) {
        times += times_in(&model->channel[i], thread);
    }
    for (int i = 0; i < THREADS; i++) {
        times += times_in(&model->joiners[i], thread);
    }
    return times;
}

static bool waits_for_itself(const struct model *model, uint8_t thread)
{
    uint8_t next = thread;
    for (int steps = 0; steps < THREADS && model->state[next] == LIMEN_CO_ON_JOIN; steps++) {
        next = model->join_target[next];
        if (next == thread) {
            return true;
        }
    }
    return false;
}

static bool is_sound(const struct model *model)
{
    for (uint8_t thread = 0; thread < THREADS; thread++) {
        uint8_t state = model->state[thread];
        bool is_in_none = state == LIMEN_CO_RUNNING || state == LIMEN_CO_BLOCKED || state == LIMEN_CO_INITIALISED;
        bool is_idle_root = !thread && state == LIMEN_CO_READY && !times_in(&model->ready, 0);
        if (queues_with(model, thread) != !(is_in_none || is_idle_root) || waits_for_itself(model, thread)) {
            return false;
        }
    }
    /* No thread waits for something that is available. */
    for (int ch = 0; ch < CHANNELS; ch++) {
        if (model->kept[ch] && model->channel[ch].length) {
            return false;
        }
    }
    return !(model->count && model->semaphore.length);
}

/* The root returns to receive only when no thread is ready. A join is refused if and only if it would close a ring. */
static bool is_right(const struct model *before, const struct model *after, struct step step, uint8_t result)
{
    if (step.action == RECEIVE && !before->running && !after->running && after->ready.length) {
        return false;
    }
    if (step.action != JOIN || step.subject == 0 || before->state[step.subject] == LIMEN_CO_NOT_ACTIVE) {
        return true;
    }
    struct model joined = *before;
    joined.state[before->running] = LIMEN_CO_ON_JOIN;
    joined.join_target[before->running] = step.subject;
    bool would_be_ring = waits_for_itself(&joined, before->running);
    bool was_refused = result == co_err_join_deadlock_detected && after->running == before->running;
    return would_be_ring == was_refused;
}

static bool try_step(uint32_t node, struct step step)
{
    struct model model = nodes[node].model;
    uint8_t wanted = model_step(&model, step);
    write_script(node, step);
    run_script();
    bool holds = is_sound(&model) && is_right(&nodes[node].model, &model, step, wanted);
    wanted = shown(wanted);
    if (!holds || last_result != wanted || !same(&model)) {
        report(wanted);
        return false;
    }
    add(&model, node, step);
    return true;
}

/* The number of subjects for an action, and its group. Interface 2 has no joins. */
#define JOINED (LIBMICROKITCO_API == 1 ? THREADS : 0)
static const struct {
    uint8_t subjects;
    char group;
} actions[ACTIONS] = {
    [YIELD] = { 1, 'y' },          [BLOCK] = { 1, 'b' },         [RETURN] = { 1, 'y' },
    [SPAWN] = { 1, 'b' },          [SPAWN_READY] = { 1, 'y' },   [MARK_READY] = { THREADS, 'b' },
    [DESTROY] = { THREADS, 'd' },  [JOIN] = { JOINED, 'j' },    [WAIT] = { CHANNELS, 'c' },
    [RECEIVE] = { CHANNELS, 'c' }, [SEMAPHORE_WAIT] = { 1, 's' }, [SEMAPHORE_SIGNAL] = { 1, 's' },
    [WAIT_UNTIL] = { 1, 't' },     [JOIN_UNTIL] = { JOINED, 't' }, [SEMAPHORE_WAIT_UNTIL] = { 1, 't' },
    [EXPIRE] = { 1, 't' },         [CANCEL] = { THREADS, 't' },   [SEMAPHORE_HAND_OVER] = { 1, 'h' },
};

static bool explore(const char *groups, uint64_t *calls)
{
    struct model start = model_start();
    add(&start, 0, (struct step) { 0, 0 });
    for (uint32_t node = 0; node < node_count; node++) {
        for (uint8_t action = 0; action < ACTIONS; action++) {
            for (uint8_t subject = 0; strchr(groups, actions[action].group) && subject < actions[action].subjects; subject++) {
                ++*calls;
                if (!try_step(node, (struct step) { action, subject })) {
                    return false;
                }
            }
        }
    }
    return true;
}

int main(int count, char **arguments)
{
    const char *groups = count > 1 ? arguments[1] : "ybdjcs";
    uint64_t calls = 0;
    node_room = count > 2 ? (uint32_t)atoi(arguments[2]) : 4000000;
    bucket_mask = (1u << 23) - 1;
    nodes = calloc(node_room, sizeof(*nodes));
    buckets = calloc(bucket_mask + 1u, sizeof(*buckets));
    if (!nodes || !buckets) {
        return 2;
    }
    bool agrees = explore(groups, &calls);
    printf("%u states of %d cothreads (groups %s), %lu calls, longest path %d\n", node_count, LIMEN_CO_COTHREADS, groups,
           (unsigned long)calls, nodes[node_count - 1].depth);
    if (agrees) {
        printf("TEST explore_%s PASS\n", groups);
    }
    printf("SUITE explore %d passed, %d failed\n", agrees, !agrees);
    return !agrees;
}
