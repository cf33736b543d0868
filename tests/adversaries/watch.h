/* What victims tell the tester. */
#ifndef TESTS_ADVERSARIES_WATCH_H
#define TESTS_ADVERSARIES_WATCH_H

#include <microkit.h>

/* Victims. Their names begin with the letters from a on. */
enum victim {
    /* A client of the active server, and one of the passive server. */
    VICTIM_OF_ACTIVE, VICTIM_OF_PASSIVE,
    /* One whose priority the attackers may reach, too. */
    VICTIM_EQUAL,
    /* One of another scheduling domain. */
    VICTIM_REMOTE,
    /* The servers. */
    VICTIM_ACTIVE, VICTIM_PASSIVE,
    VICTIMS,
};

struct watch {
    /* Rounds that went well. */
    volatile seL4_Word rounds[VICTIMS];
    /* What went wrong: the line of the program, or 0. */
    volatile seL4_Word line[VICTIMS];
    /* Faults that no victim makes by itself. */
    volatile seL4_Word faults;
};

LIMEN_INLINE enum victim own_place(void)
{
    return (enum victim)(microkit_name[0] - 'a');
}

#endif /* TESTS_ADVERSARIES_WATCH_H */
