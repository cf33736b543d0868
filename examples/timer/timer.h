/* What clients ask the timer for, in protected calls. */
#ifndef TIMER_TIMER_H
#define TIMER_TIMER_H

enum timer_request {
    /* The time since some moment in the past: microseconds in word 0 of the answer. */
    TIMER_NOW,
    /* A notification after at least so many microseconds, which are in word 0, in place of one that was asked for. */
    TIMER_WAKE_AFTER,
};

#endif /* TIMER_TIMER_H */
