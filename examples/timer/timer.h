/* Requests to the timer, as labels of protected calls. */
#ifndef TIMER_TIMER_H
#define TIMER_TIMER_H

enum timer_request {
    /* Return the time since some moment in the past, in microseconds, in word 0 of the answer. */
    TIMER_NOW,
    /* Send a notification after at least the microseconds in word 0; replaces an earlier request. */
    TIMER_WAKE_AFTER,
};

#endif /* TIMER_TIMER_H */
