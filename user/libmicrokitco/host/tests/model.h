/* A small model of the library: lists in arrays, no pointers, no stacks. It follows the rules of docs/cothreads.md, not
 * the code, so that it can disagree with the library. */
#ifndef LIMEN_COTHREAD_MODEL_H
#define LIMEN_COTHREAD_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <libmicrokitco.h>

#define THREADS (LIMEN_CO_COTHREADS + 1)
#define CHANNELS 2

/* The result of a call that has not returned or never returns. */
#define NO_RESULT 0xff

struct list {
    uint8_t length;
    uint8_t items[THREADS];
};

struct model {
    uint8_t running;
    /* limen_co_state_t; LIMEN_CO_RUNNING for the running thread. */
    uint8_t state[THREADS];
    /* The result of its current call, returned when the thread resumes. */
    uint8_t result[THREADS];
    uint8_t join_target[THREADS];
    /* It waits in a call with a deadline, which is the same for all. */
    bool can_end_early[THREADS];
    bool is_result_kept[THREADS];
    bool kept[CHANNELS];
    uint8_t count;
    struct list ready;
    struct list free;
    struct list channel[CHANNELS];
    struct list semaphore;
    struct list joiners[THREADS];
};

enum action {
    YIELD,
    BLOCK,
    RETURN,
    SPAWN,
    SPAWN_READY,
    MARK_READY,
    DESTROY,
    JOIN,
    WAIT,
    RECEIVE,
    SEMAPHORE_WAIT,
    SEMAPHORE_SIGNAL,
    WAIT_UNTIL,
    JOIN_UNTIL,
    SEMAPHORE_WAIT_UNTIL,
    EXPIRE,
    CANCEL,
    /* A signal that switches to the waiter. */
    SEMAPHORE_HAND_OVER,
    ACTIONS,
};

/* One call of the running thread. `subject` is a handle or a channel. */
struct step {
    uint8_t action;
    uint8_t subject;
};

/* The model after init. */
struct model model_start(void);

/* Makes a call. Returns the result that the thread that runs next gets from its last call; NO_RESULT if it just begins. */
uint8_t model_step(struct model *model, struct step step);

#endif /* LIMEN_COTHREAD_MODEL_H */
