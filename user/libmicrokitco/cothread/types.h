/* The library's data: threads, the one kind of queue that they wait in, and the controller that holds both.
 *
 * Programs provide memory for these and otherwise leave them alone. */
#ifndef LIMEN_COTHREAD_TYPES_H
#define LIMEN_COTHREAD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <microkit.h>

#include "context.h"

/* Bytes of a name, with its terminator. */
#define LIMEN_CO_NAME_BYTES 16

/* Of stacks. Memory that is aligned less is used from the next aligned address on, as is the controller's. */
#define LIMEN_CO_ALIGNMENT 16

#define MINIMUM_STACK_SIZE 0x1000

/* The handle of the root; cothreads have 1 and up. */
#define MICROKITCO_ROOT_THREAD 0

/* What a cothread runs. */
typedef void (*client_entry_t)(void);

/* What a thread does; docs/cothreads.md draws the transitions.
 *
 * A thread in a state from `ready` on is in exactly one queue, with two exceptions: the root is ready and in none
 * while it waits for all others in recv_ntfn, and what is stored for the running thread means nothing. */
typedef enum {
    LIMEN_CO_NOT_ACTIVE,
    LIMEN_CO_INITIALISED,
    /* By itself, until mark_ready. */
    LIMEN_CO_BLOCKED,
    LIMEN_CO_READY,
    LIMEN_CO_ON_CHANNEL,
    LIMEN_CO_ON_JOIN,
    LIMEN_CO_ON_SEMAPHORE,
    LIMEN_CO_ON_MUTEX,
    LIMEN_CO_ON_CONDITION,
    /* Computed, never stored. */
    LIMEN_CO_RUNNING,
} limen_co_state_t;

struct co_tcb;

/* Threads in the order in which they came, linked through themselves: a ring of which the last is known, so that both
 * ends are one load away. A thread is in at most one queue. Zero is an empty queue. */
typedef struct limen_co_queue {
    struct co_tcb *last;
} limen_co_queue_t;

/* What cothreads wait for and hold. `self` is the object's own address once it is initialised, which tells it from
 * other memory and from a copy. */
typedef struct limen_co_semaphore {
    const void *self;
    size_t count;
    /* Signals beyond this many are lost or refused. */
    size_t most;
    limen_co_queue_t waiting;
} limen_co_semaphore_t;

typedef struct limen_co_mutex {
    const void *self;
    struct co_tcb *holder;
    limen_co_queue_t waiting;
} limen_co_mutex_t;

typedef struct limen_co_condition {
    const void *self;
    limen_co_queue_t waiting;
} limen_co_condition_t;

/* A thread: the root or a cothread. */
typedef struct co_tcb {
    /* Its registers while it does not run. */
    limen_co_context_t context;
    /* In its queue, the one behind it; behind the last comes the first. */
    struct co_tcb *next;
    limen_co_queue_t *queue;
    /* Who waits for its end. */
    limen_co_queue_t joiners;
    /* In ON_JOIN the thread whose end it waits for, in ON_MUTEX and ON_CONDITION the mutex that it needs. */
    union {
        struct co_tcb *thread;
        limen_co_mutex_t *mutex;
    } awaited;
    /* The lowest word of its stack, which holds its own address: the sentinel. */
    uintptr_t *stack;
    client_entry_t entry;
    uintptr_t argument;
    /* What it returned; while it joins, what the other one returned. */
    size_t result;
    /* How its join ended. */
    co_err_t outcome;
    uint32_t mutexes_held;
    uint8_t state;
    /* It returned and nobody has joined it yet. */
    bool is_result_kept;
    char name[LIMEN_CO_NAME_BYTES];
} co_tcb_t;

/* Everything. The root comes first: switches to it are the most frequent. */
typedef struct co_control {
    co_tcb_t root;
    limen_co_queue_t ready;
    limen_co_queue_t free;
    /* Bytes of a stack that are used, from its first aligned address on. */
    size_t stack_bytes;
    /* Notifications that are kept, one bit for each channel. */
    uint64_t kept;
    limen_co_queue_t channels[MICROKIT_MAX_CHANNELS];
    /* The first has handle 1. */
    co_tcb_t cothreads[LIMEN_CO_COTHREADS];
} co_control_t;

/* Bytes of controller memory at any address. */
#define LIBMICROKITCO_CONTROLLER_SIZE (sizeof(co_control_t) + __alignof__(co_control_t) - 1)

/* What the program and the library must agree on, which are compiled apart: every option, and how large the controller
 * is with them. */
#define LIMEN_CO_AGREED                                                                                     \
    ((uint64_t)sizeof(co_control_t) << 32 | (uint64_t)(LIMEN_CO_COTHREADS) << 8 | LIMEN_CO_HAS_FPU << 7 |   \
     LIMEN_CO_CHECKS_STACKS << 6 | LIMEN_CO_HAS_FAST_PATH << 5 | LIMEN_CO_KEEPS_NOTIFICATIONS << 4 |        \
     LIBMICROKITCO_API)

#endif /* LIMEN_COTHREAD_TYPES_H */
