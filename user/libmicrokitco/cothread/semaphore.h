/* Semaphore operations that neither block nor wake a thread, inline. All others call the library, which makes every check
 * again. */
#ifndef LIMEN_COTHREAD_SEMAPHORE_H
#define LIMEN_COTHREAD_SEMAPHORE_H

LIMEN_CO_INLINE bool limen_co_is_semaphore(const limen_co_semaphore_t *semaphore)
{
    return !LIMEN_CO_CHECKS || (semaphore && semaphore->self == semaphore);
}

/* Decrements a count above 0. False if the caller must block, or has made an error. */
LIMEN_CO_INLINE bool limen_co_semaphore_take(limen_co_semaphore_t *semaphore)
{
#if defined(LIMEN_CO_LOADED_TOGETHER) && LIMEN_CO_CHECKS
    if (!semaphore) {
        return false;
    }
    const void *self = semaphore->self;
    size_t count = semaphore->count;
    LIMEN_CO_LOADED_TOGETHER(self, count);
    if (self != semaphore || !count) {
        return false;
    }
    semaphore->count = count - 1;
#else
    if (!limen_co_is_semaphore(semaphore) || !semaphore->count) {
        return false;
    }
    semaphore->count--;
#endif
    return true;
}

/* Increments the count. False if a thread waits, the count is at its limit, or the caller has made an error. */
LIMEN_CO_INLINE bool limen_co_semaphore_add(limen_co_semaphore_t *semaphore)
{
    if (!limen_co_is_semaphore(semaphore) || semaphore->waiting.last || semaphore->count == semaphore->most) {
        return false;
    }
    semaphore->count++;
    return true;
}

LIMEN_CO_INLINE co_err_t limen_co_semaphore_wait(limen_co_semaphore_t *semaphore)
{
    return limen_co_semaphore_take(semaphore) ? co_no_err : limen_cothread_semaphore_wait(semaphore);
}

LIMEN_CO_INLINE co_err_t limen_co_semaphore_signal(limen_co_semaphore_t *semaphore)
{
    return limen_co_semaphore_add(semaphore) ? co_no_err : limen_cothread_semaphore_signal(semaphore);
}

LIMEN_CO_INLINE co_err_t limen_co_semaphore_hand_over(limen_co_semaphore_t *semaphore)
{
    return limen_co_semaphore_add(semaphore) ? co_no_err : limen_cothread_semaphore_hand_over(semaphore);
}

#endif /* LIMEN_COTHREAD_SEMAPHORE_H */
