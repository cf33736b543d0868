/* The interface between tester and server. */
#ifndef TESTS_CALLS_SERVICE_H
#define TESTS_CALLS_SERVICE_H

#include <microkit.h>

/* Requests to server.c, as labels. */
enum service_request {
    /* The words are a pattern. Answer: the words of another pattern, as many; label: how many were wrong. */
    SERVICE_EXCHANGE = 1,
    /* Answer: channel, label and length as the server saw them. */
    SERVICE_DESCRIBE,
    /* Answer: label with all bits of the request's first word. */
    SERVICE_LABEL,
    /* Answer: as many words of a pattern as the first word says, whatever the request's length. */
    SERVICE_FILL,
    /* Answer: as many words as the request has, none of them touched. */
    SERVICE_KEEP,
    /* And the number of words of a pattern that the answer to an empty request has. */
    SERVICE_WORDS = 0x100,
};

/* Word `i` of a pattern. Patterns of different seeds have no word in common. */
static inline seL4_Word pattern(seL4_Word seed, seL4_Word i)
{
    return (seed * 0x9e3779b97f4a7c15ul) ^ (i * 0x0101010101010101ul);
}

#define PATTERN_REQUEST 1
#define PATTERN_ANSWER 2
#define PATTERN_STALE 3

static inline void put_pattern(seL4_Word seed, seL4_Word from, seL4_Word to)
{
    for (seL4_Word i = from; i < to; i++) {
        microkit_mr_set((seL4_Uint8)i, pattern(seed, i));
    }
}

/* The number of words that differ from a pattern. */
static inline seL4_Word count_wrong(seL4_Word seed, seL4_Word from, seL4_Word to)
{
    seL4_Word wrong = 0;
    for (seL4_Word i = from; i < to; i++) {
        wrong += microkit_mr_get((seL4_Uint8)i) != pattern(seed, i);
    }
    return wrong;
}

#endif /* TESTS_CALLS_SERVICE_H */
