/* The library's data structures: threads, the queue type that they wait in, and the controller that holds both.
 *
 * Programs provide memory for these and must not access them otherwise. */
#ifndef LIMEN_COTHREAD_TYPES_H
#define LIMEN_COTHREAD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <microkit.h>

#include "context.h"

/* A deadline that never passes. */
#define LIMEN_CO_NO_DEADLINE UINT64_MAX

/* Bytes of a name, including the terminator. */
#define LIMEN_CO_NAME_BYTES 16

/* The alignment of stacks. Less aligned memory is used from the next aligned address; so is the controller's memory. */
#define LIMEN_CO_ALIGNMENT 16

#define MINIMUM_STACK_SIZE 0x1000

/* The handle of the root; cothreads have 1 and up. */
#define MICROKITCO_ROOT_THREAD 0

/* The entry function of a cothread. */
typedef void (*client_entry_t)(void);

/* An entry function with a return value. */
typedef size_t (*limen_co_function_t)(void);

/* The state of a thread; docs/cothreads.md draws the transitions.
 *
 * A thread in state `ready` or a later one is in exactly one queue, with two exceptions: the root is ready and in no queue
 * while it waits for all others in recv_ntfn, and the stored state of the running thread is meaningless. */
typedef enum {
    LIMEN_CO_NOT_ACTIVE,
    LIMEN_CO_INITIALISED,
    /* Blocked by its own request until mark_ready. */
    LIMEN_CO_BLOCKED,
    LIMEN_CO_READY,
    LIMEN_CO_ON_JOIN,
    LIMEN_CO_ON_SEMAPHORE,
    LIMEN_CO_ON_MUTEX,
    LIMEN_CO_ON_CONDITION,
    /* Computed, never stored. */
    LIMEN_CO_RUNNING,
    /* Stored with the channel added. */
    LIMEN_CO_ON_CHANNEL,
} limen_co_state_t;

struct co_tcb;

/* An intrusive FIFO queue of threads: a ring with a pointer to the last one, so that both ends are one load away. A thread
 * is in at most one queue. Zero is an empty queue. */
typedef struct limen_co_queue {
    struct co_tcb *last;
} limen_co_queue_t;

/* Synchronisation objects. `self` is the object's own address once it is initialised, which distinguishes the object from
 * uninitialised memory and from copies. */
typedef struct limen_co_semaphore {
    const void *self;
    size_t count;
    /* The greatest count; further signals are lost or refused. */
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
    /* Saved registers while the thread is not running. */
    limen_co_context_t context;
    /* The next thread in its queue; the last one points to the first. */
    struct co_tcb *next;
    /* Its queue in the states ON_JOIN to ON_CONDITION. */
    limen_co_queue_t *queue;
    /* Threads that wait for its end. */
    limen_co_queue_t joiners;
    /* In ON_JOIN the thread that it joins; in ON_MUTEX and ON_CONDITION the mutex that it needs. */
    union {
        struct co_tcb *thread;
        limen_co_mutex_t *mutex;
    } awaited;
    /* The lowest word of its stack, which holds its own address: the sentinel. */
    uintptr_t *stack;
    client_entry_t entry;
    uintptr_t argument;
    /* Its return value; while it joins, the other thread's return value. */
    size_t result;
    /* The result of its join or of its wait with a deadline. */
    co_err_t outcome;
    uint32_t mutexes_held;
    uint8_t state;
    /* It has returned, and no thread has joined it yet. */
    bool is_result_kept;
    /* `entry` is a limen_co_function_t. */
    bool has_value;
    /* It waits in a call with a deadline, which `expire` and `cancel` may end; `outcome` is then the reason. */
    bool can_end_early;
    char name[LIMEN_CO_NAME_BYTES];
    uint64_t deadline;
    /* Its message words while it is not running. Empty without LIBMICROKITCO_OWN_WORDS. */
    seL4_Word words[LIMEN_CO_OWN_WORDS];
} co_tcb_t;

/* All data of the library. The root comes first, because switches to it are the most frequent. */
typedef struct co_control {
    co_tcb_t root;
    limen_co_queue_t ready;
    limen_co_queue_t free;
    /* Usable bytes of a stack, from its first aligned address. */
    size_t stack_bytes;
    /* Pending notifications, one bit per channel. */
    uint64_t kept;
    limen_co_queue_t channels[MICROKIT_MAX_CHANNELS];
    /* The first one has handle 1. */
    co_tcb_t cothreads[LIMEN_CO_COTHREADS];
    /* Further pending notifications of channels whose bit in `kept` is set. */
    uint8_t kept_more[MICROKIT_MAX_CHANNELS];
} co_control_t;

/* The single instance of a protection domain. */
struct limen_co_library {
    /* Null until init has succeeded. */
    co_control_t *control;
    /* The running cothread; null while the root runs, and limen_co_before_init before init: one load tells all three. */
    co_tcb_t *current;
};

extern struct limen_co_library limen_co_library __attribute__((visibility("hidden")));

/* Bytes of controller memory, for any alignment. */
#define LIBMICROKITCO_CONTROLLER_SIZE (sizeof(co_control_t) + __alignof__(co_control_t) - 1)

/* Values that must match between the program and the separately compiled library: every option, and the resulting
 * controller size. */
#define LIMEN_CO_AGREED                                                                                     \
    ((uint64_t)sizeof(co_control_t) << 32 | (uint64_t)LIMEN_CO_MOST_KEPT << 24 |                            \
     (uint64_t)(LIMEN_CO_COTHREADS & 0xffff) << 8 | LIMEN_CO_HAS_FPU << 7 |                                 \
     LIMEN_CO_CHECKS << 6 | LIMEN_CO_HAS_FAST_PATH << 5 | LIMEN_CO_KEEPS_NOTIFICATIONS << 4 |        \
     LIMEN_CO_OWN_ROUNDING << 3 | LIBMICROKITCO_API)

#endif /* LIMEN_COTHREAD_TYPES_H */
