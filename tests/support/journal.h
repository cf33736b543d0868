/* A list in shared memory in which programs record events, so that a test can check their order.
 *
 * The region is mapped with setvar_vaddr="journal" in every program that writes. Programs write one at a time: they
 * have different priorities, or take turns. */
#ifndef TESTS_JOURNAL_H
#define TESTS_JOURNAL_H

#include <microkit.h>

#define JOURNAL_ENTRIES 500

struct journal {
    volatile seL4_Word count;
    volatile seL4_Word entries[JOURNAL_ENTRIES];
};

/* The address of the list; set by the tool. */
extern seL4_Word journal;

static inline struct journal *journal_list(void)
{
    return (struct journal *)journal;
}

static inline void journal_add(seL4_Word entry)
{
    seL4_Word count = journal_list()->count;
    if (count < JOURNAL_ENTRIES) {
        journal_list()->entries[count] = entry;
        journal_list()->count = count + 1;
    }
}

static inline void journal_clear(void)
{
    journal_list()->count = 0;
}

static inline seL4_Word journal_count(void)
{
    return journal_list()->count;
}

/* The entry at a position from 0; all ones past the end. */
static inline seL4_Word journal_at(seL4_Word position)
{
    return position < journal_count() ? journal_list()->entries[position] : ~0ul;
}

/* Checks the whole list. */
#define CHECK_JOURNAL(...)                                                        \
    do {                                                                          \
        const seL4_Word wanted_entries[] = { __VA_ARGS__ };                       \
        seL4_Word wanted_count = sizeof(wanted_entries) / sizeof(wanted_entries[0]); \
        for (seL4_Word position = 0; position < wanted_count; position++) {       \
            CHECK_EQUAL(journal_at(position), wanted_entries[position]);          \
        }                                                                         \
        CHECK_EQUAL(journal_count(), wanted_count);                               \
    } while (0)

#endif /* TESTS_JOURNAL_H */
