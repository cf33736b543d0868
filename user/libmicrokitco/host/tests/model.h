/* A small model of the library: lists in arrays, no pointers, no stacks. What it does is written from the rules of
 * docs/cothreads.md, so that it can disagree with the library. */
#ifndef LIMEN_COTHREAD_MODEL_H
#define LIMEN_COTHREAD_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <libmicrokitco.h>

#define THREADS (LIMEN_CO_COTHREADS + 1)
#define CHANNELS 2

/* The call of a thread that has not returned, or that never will. */
#define NO_RESULT 0xff

struct list {
    uint8_t length;
    uint8_t items[THREADS];
};

struct model {
    uint8_t running;
    /* limen_co_state_t; of the running thread LIMEN_CO_RUNNING. */
    uint8_t state[THREADS];
    /* What its present call will return when the thread is next resumed. */
    uint8_t result[THREADS];
    uint8_t join_target[THREADS];
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
    ACTIONS,
};

/* One call of the running thread. `subject` is a handle or a channel. */
struct step {
    uint8_t action;
    uint8_t subject;
};

/* After init. */
struct model model_start(void);

/* The model after a call, and what the thread that then runs gets from its last call; NO_RESULT if it has just begun. */
uint8_t model_step(struct model *model, struct step step);

#endif /* LIMEN_COTHREAD_MODEL_H */
