/* Journal entries: the program, and its event. */
#ifndef TESTS_NOTIFICATIONS_EVENTS_H
#define TESTS_NOTIFICATIONS_EVENTS_H

/* A program is named by the first letter of its name. */
#define EVENT(who, what) (((seL4_Word)(who) << 32) | (what))

/* What happened, beside the channels that were signalled. */
#define DEFERRED 100
#define CALL_RETURNED 101
#define SIGNALS_SENT 102

/* The channel that starts sender: the highest. */
#define SENDER_START 61

/* Requests to server, as labels. */
enum server_request {
    /* Notifies low_recorder, then high_recorder. */
    SERVER_NOTIFY_BOTH,
    /* Notifies the caller. */
    SERVER_NOTIFY_CALLER,
};

/* Requests to deferrer, as labels. */
enum deferrer_request {
    /* Defers one signal to high_recorder. */
    DEFERRER_ONE,
    /* Defers a signal to high_recorder, then replaces it by one on the second channel. */
    DEFERRER_TWO,
};

#endif /* TESTS_NOTIFICATIONS_EVENTS_H */
