/* Makes random calls from random threads with valid and invalid arguments. The library must never touch foreign memory,
 * and every thread must be in the queue that matches its state.
 *
 * Each input is a list of pairs: a call and its argument. The running thread makes the next call. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/schedule.h"

#define STACK_BYTES 0x2000
#define OBJECTS 2

static char stacks[LIMEN_CO_COTHREADS + 1][STACK_BYTES] __attribute__((aligned(LIMEN_CO_ALIGNMENT)));
static char controller[LIBMICROKITCO_CONTROLLER_SIZE];
static microkit_cothread_semaphore_t semaphores[OBJECTS];
static microkit_cothread_mutex_t mutexes[OBJECTS];
static microkit_cothread_condition_t conditions[OBJECTS];

static const uint8_t *input;
static size_t left;
static limen_co_context_t driver;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Every thread of a queue points to that queue. */
static size_t check_queue(const limen_co_queue_t *queue)
{
    size_t length = 0;
    for (const co_tcb_t *thread = queue->last; thread; thread = thread->next == queue->last ? NULL : thread->next) {
        must(thread->state == LIMEN_CO_NOT_ACTIVE || queue_of(limen_co_library.control, thread) == queue);
        must(++length <= LIMEN_CO_COTHREADS + 1);
    }
    return length;
}

static size_t check_all_queues(co_control_t *control)
{
    size_t length = check_queue(&control->ready) + check_queue(&control->free);
    for (int ch = 0; ch < MICROKIT_MAX_CHANNELS; ch++) {
        length += check_queue(&control->channels[ch]);
    }
    for (int i = 0; i < OBJECTS; i++) {
        length += check_queue(&semaphores[i].waiting) + check_queue(&mutexes[i].waiting);
        length += check_queue(&conditions[i].waiting);
        must(!mutexes[i].holder || mutexes[i].holder->mutexes_held > 0);
        must(mutexes[i].holder || !mutexes[i].waiting.last);
    }
    for (int handle = 0; handle <= LIMEN_CO_COTHREADS; handle++) {
        length += check_queue(&thread_of(control, handle)->joiners);
    }
    return length;
}

/* A thread is in a queue at most once, because it points to one queue only. */
static void check_library(void)
{
    co_control_t *control = limen_co_library.control;
    if (!control) {
        return;
    }
    size_t queued = 0;
    for (int handle = 0; handle <= LIMEN_CO_COTHREADS; handle++) {
        limen_co_state_t state;
        must(limen_cothread_state(handle, &state) == co_no_err);
        queued += state == LIMEN_CO_NOT_ACTIVE || (state >= LIMEN_CO_READY && state != LIMEN_CO_RUNNING);
    }
    size_t found = check_all_queues(control);
    /* The root may be ready while it is in no queue. */
    must(found == queued || (limen_co_library.current && control->root.state == LIMEN_CO_READY && found + 1 == queued));
}

static void run_input(void);

static void spawn(uint8_t argument)
{
    microkit_cothread_t handle;
    (void)microkit_cothread_spawn(argument == 0xff ? NULL : run_input, argument & 1, &handle, argument);
}

static void initialise(uint8_t argument)
{
    uintptr_t addresses[LIMEN_CO_COTHREADS];
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        addresses[i] = (uintptr_t)stacks[i + 1];
    }
    addresses[argument % LIMEN_CO_COTHREADS] += argument >> 4;
    (void)microkit_cothread_init_array((uintptr_t)controller, STACK_BYTES - (argument >> 4), addresses);
}

static void perform_on_objects(uint8_t call, uint8_t argument)
{
    microkit_cothread_semaphore_t *semaphore = &semaphores[argument % OBJECTS];
    microkit_cothread_mutex_t *mutex = &mutexes[argument % OBJECTS];
    microkit_cothread_mutex_t *other = &mutexes[argument / OBJECTS % OBJECTS];
    microkit_cothread_condition_t *condition = &conditions[argument % OBJECTS];
    switch (call) {
    case 0:
        (void)microkit_cothread_semaphore_init(semaphore, argument >> 4);
        break;
    case 1:
        (void)microkit_cothread_semaphore_wait(semaphore);
        break;
    case 2:
        (void)microkit_cothread_semaphore_signal(semaphore);
        break;
    case 3:
        (void)limen_cothread_semaphore_hand_over(semaphore);
        break;
    case 4:
        (void)microkit_cothread_mutex_init(mutex);
        break;
    case 5:
        (void)microkit_cothread_mutex_lock(mutex);
        break;
    case 6:
        (void)microkit_cothread_mutex_try_lock(mutex);
        break;
    case 7:
        (void)microkit_cothread_mutex_unlock(mutex);
        break;
    case 8:
        (void)microkit_cothread_condition_init(condition);
        break;
    case 9:
        (void)microkit_cothread_condition_wait(condition, other);
        break;
    case 10:
        (void)microkit_cothread_condition_signal(condition);
        break;
    default:
        (void)microkit_cothread_condition_broadcast(condition);
        break;
    }
}

static void ask(int handle)
{
    co_state_t state;
    size_t bytes;
    uintptr_t argument;
    (void)microkit_cothread_query_state(handle, &state);
    (void)microkit_cothread_stack_used(handle, &bytes);
    (void)microkit_cothread_my_arg(&argument);
    (void)microkit_cothread_set_name(handle, microkit_cothread_name(handle - 1));
    (void)microkit_cothread_pretty_error((co_err_t)handle);
}

static void perform(uint8_t call, uint8_t argument)
{
    int handle = (int)(argument % 8) - 1;
    microkit_channel ch = argument < 0xf0 ? argument % 3 : argument;
    size_t value;
    switch (call % 26) {
    case 0:
        (void)microkit_cothread_yield();
        break;
    case 1:
        (void)microkit_cothread_block();
        break;
    case 2:
        (void)microkit_cothread_exit(argument);
        break;
    case 3:
    case 4:
        spawn(argument);
        break;
    case 5:
        (void)microkit_cothread_mark_ready(handle);
        break;
    case 6:
        (void)microkit_cothread_destroy(handle);
        break;
    case 7:
        (void)microkit_cothread_join(handle, &value);
        break;
    case 8:
        (void)microkit_cothread_wait_on_channel(ch);
        break;
    case 9:
        (void)microkit_cothread_recv_ntfn(ch);
        break;
    case 10:
        (void)limen_cothread_recv_ntfn_one(ch);
        break;
    case 11:
        (void)microkit_cothread_run();
        break;
    case 12:
        ask(handle);
        break;
    case 13:
        initialise(argument);
        break;
    default:
        perform_on_objects(call % 26 - 14, argument);
        break;
    }
}

static void give_back(void)
{
    static limen_co_context_t abandoned;
    limen_co_switch(&abandoned, &driver);
}

static void run_input(void)
{
    while (left >= 2) {
        uint8_t call = input[0];
        uint8_t argument = input[1];
        input += 2;
        left -= 2;
        perform(call, argument);
        check_library();
    }
    give_back();
}

/* The root and returning cothreads both end here. A cothread that ends with a mutex faults, which ends the run. */
static void end_of_run(seL4_Error error)
{
    (void)error;
    give_back();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char console[256];
    limen_co_context_t root;
    limen_host_reset();
    limen_host_set_crash(end_of_run);
    limen_host_set_console(console, sizeof(console));
    memset(semaphores, 0, sizeof(semaphores));
    memset(mutexes, 0, sizeof(mutexes));
    memset(conditions, 0, sizeof(conditions));
    limen_host_stack_begins(stacks, sizeof(stacks));
    input = data;
    left = size;
    if (size % 2) {
        initialise(0);
    }
    limen_co_prepare(&root, (uintptr_t)stacks[0], STACK_BYTES, run_input);
    limen_co_switch(&driver, &root);
    return 0;
}
