/* Journal entries, and requests to the server. */
#ifndef TESTS_PASSIVE_EVENTS_H
#define TESTS_PASSIVE_EVENTS_H

/* Channels to server and inner, the same in every program that calls them. */
#define SERVER 1
#define INNER 2

/* An entry is the first letter of the program's name, and a channel or one of these. */
#define EVENT(who, what) (((seL4_Word)(who) << 32) | (what))
#define INITIALISED 100
#define CALLED 200
#define ANSWERED 201

/* Requests, as labels. Every answer has the label of its request and each word of the request plus one. */
enum request {
    /* Nothing else. */
    ANSWER,
    /* Write into the journal, too. */
    ANSWER_AND_RECORD,
    /* Let helper notify the server while the caller waits. */
    BE_NOTIFIED,
    /* Let inner answer first. */
    ASK_INNER,
};

#endif /* TESTS_PASSIVE_EVENTS_H */
