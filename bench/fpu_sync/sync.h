/* A lock and condition variables for two programs that share memory and have a channel for each of these objects. */
#ifndef BENCH_FPU_SYNC_SYNC_H
#define BENCH_FPU_SYNC_SYNC_H

#include <microkit.h>

/* Channels, with the same numbers in both programs. */
#define LOCK 0
#define NOT_FULL 1
#define NOT_EMPTY 2

/* A notification wakes the program that waits for the lock. */
struct lock {
    /* The owner of the lock and those that wait for it. */
    seL4_Word users;
};

/* A notification on its channel wakes the waiting program. */
struct condition {
    /* Protected by the lock. */
    seL4_Word waiters;
};

/* The program's notifications that it has received but not waited for. */
static seL4_Word pending;

static inline void await(microkit_channel channel)
{
    seL4_Word bit = 1ul << channel;
    while (!(pending & bit)) {
        seL4_Word received;
        seL4_Wait(LIMEN_INPUT_CAP, &received);
        pending |= received;
    }
    pending &= ~bit;
}

static inline void lock_acquire(struct lock *lock)
{
    if (__atomic_fetch_add(&lock->users, 1, __ATOMIC_ACQUIRE)) {
        await(LOCK);
    }
}

static inline void lock_release(struct lock *lock)
{
    if (__atomic_fetch_sub(&lock->users, 1, __ATOMIC_RELEASE) > 1) {
        microkit_notify(LOCK);
    }
}

/* Releases the lock, waits for a signal, and acquires the lock. The caller checks its condition again. */
static inline void condition_wait(struct condition *condition, microkit_channel channel, struct lock *lock)
{
    condition->waiters++;
    lock_release(lock);
    await(channel);
    lock_acquire(lock);
}

/* The caller has the lock. */
static inline void condition_signal(struct condition *condition, microkit_channel channel)
{
    if (condition->waiters) {
        condition->waiters--;
        microkit_notify(channel);
    }
}

#endif /* BENCH_FPU_SYNC_SYNC_H */
