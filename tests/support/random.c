#include "random.h"

/* Never zero, which would stay. */
static seL4_Word state = SEED ? SEED : 1;

void random_diverge(seL4_Word program)
{
    state ^= program * 0x9e3779b97f4a7c15ul;
    state += !state;
}

/* Xorshift*. Source: Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled. */
seL4_Word random_word(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dul;
}

seL4_Word random_below(seL4_Word below)
{
    return random_word() % below;
}

seL4_Word random_interesting(void)
{
    switch (random_below(6)) {
    case 0:
        return random_below(8);
    case 1:
        return random_below(600);
    case 2:
        return (1ul << random_below(64)) - random_below(2);
    case 3:
        return random_word() >> random_below(64);
    case 4:
        return random_below(64) << 58;
    default:
        return random_word();
    }
}
