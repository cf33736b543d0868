/* What all programs of the suite count, in memory that they share. Each part has one writer. */
#ifndef SOAK_SHARED_H
#define SOAK_SHARED_H

#include "together.h"

/* Processors of the machine, each with a walker. */
#define WALKERS 4
/* Servers 0 to 3 are active and 4 to 7 are passive, each on the processor of its number modulo 4. */
#define DIRECT_SERVERS 8
/* Programs 8 and 9 call another server for their caller. */
#define MIDDLES 2
#define SERVERS (DIRECT_SERVERS + MIDDLES)

/* Rounds of each walker. */
#define ROUNDS (200 * TIMES)

/* Where nothing is mapped. The address of a fault tells its number. */
#define NOWHERE 0x7000000ul
#define NOWHERE_OF(number) (NOWHERE + (number) % 512 * 8)

/* Written by a walker. */
struct walker {
    /* Where it continues after a restart. */
    seL4_Word entry;
    seL4_Word rounds;
    seL4_Word is_done;
    /* Changes all the time while the walker runs. */
    seL4_Word heartbeat;
    /* How often it was restarted. */
    seL4_Word lives;
    /* Calls that each server has answered. */
    seL4_Word answered[SERVERS];
    /* Questions to each other walker, as numbers; the last number of each other walker's questions that it has seen. */
    seL4_Word asked[WALKERS];
    seL4_Word seen[WALKERS];
    /* Signals to each other walker, and from it. */
    seL4_Word signalled[WALKERS];
    seL4_Word received[WALKERS];
    /* Faults on memory, as numbers. */
    seL4_Word faults;
    /* Undefined instructions that it has survived. */
    seL4_Word undefined;
    /* Requests to its keeper to stop it, as numbers. */
    seL4_Word pokes;
    /* Crossings during which all registers were compared. */
    seL4_Word held;
    /* Switches of the key, on and off again. */
    seL4_Word switched;
    seL4_Word wrong_keys;
    seL4_Word wrong_answers;
    seL4_Word wrong_registers;
    seL4_Word wrong_fpu;
    seL4_Word wrong_memory;
} __attribute__((aligned(64)));

/* Written by the parent of a walker. */
struct keeper {
    /* The walker waits for this. */
    seL4_Word is_ready;
    /* The last number of the faults and pokes that it has seen. */
    seL4_Word faults;
    seL4_Word pokes;
    /* Undefined instructions. */
    seL4_Word undefined;
    /* Reports of faults, some of them repeated. */
    seL4_Word reports;
    seL4_Word stops;
    seL4_Word restarts;
    seL4_Word wrong_reports;
    /* How often a stopped walker went on. */
    seL4_Word moved;
    seL4_Word errors;
    seL4_Word wrong_fpu;
} __attribute__((aligned(64)));

/* Written by a server. */
struct server {
    /* The last number of each walker's calls, directly and through another program. */
    seL4_Word last[2][WALKERS];
    /* Calls of numbers that it had answered before. */
    seL4_Word repeated;
    seL4_Word wrong_calls;
    seL4_Word wrong_fpu;
} __attribute__((aligned(64)));

struct shared {
    struct walker walkers[WALKERS];
    struct keeper keepers[WALKERS];
    struct server servers[SERVERS];
};

/* The address of the memory; set by the tool. */
extern seL4_Word shared;

static inline struct shared *all(void)
{
    return (struct shared *)shared;
}

static inline void count(seL4_Word *word)
{
    store(word, load(word) + 1);
}

/* A word of the call with this number. */
static inline seL4_Word word_of(seL4_Word walker, seL4_Word number, seL4_Word place)
{
    return (number * 0x9e3779b97f4a7c15ul) ^ (walker << 56) ^ (place << 32);
}

/* A word of its answer. */
static inline seL4_Word answer_of(seL4_Word word)
{
    return word * 3 + 1;
}

#endif /* SOAK_SHARED_H */
