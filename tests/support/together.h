/* Words in memory that programs on several processors share, and the number of the own one. */
#ifndef TESTS_TOGETHER_H
#define TESTS_TOGETHER_H

#include <microkit.h>

static inline seL4_Word load(const seL4_Word *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void store(seL4_Word *word, seL4_Word value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* The number of the processor, which is the last character of the program's name. */
static inline seL4_Word own_number(void)
{
    const char *end = microkit_name;
    while (end[1]) {
        end++;
    }
    return (seL4_Word)(*end - '0');
}

#endif /* TESTS_TOGETHER_H */
