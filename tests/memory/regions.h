/* The interface between tester and peer. */
#ifndef TESTS_MEMORY_REGIONS_H
#define TESTS_MEMORY_REGIONS_H

#include <microkit.h>

/* Requests to the peer, as labels. Word 0 says which region, by its place in the peer's list. */
enum peer_request {
    /* Write the pattern of word 1 into every word of the region's first word-2 bytes. */
    PEER_WRITE,
    /* Count the words that differ from it; the answer's label. */
    PEER_COUNT_WRONG,
    /* Send the name as message words. */
    PEER_NAME,
};

enum peer_region {
    PEER_SMALL,
    PEER_ONE_WAY,
    PEER_UNCACHED,
    PEER_LARGE,
    PEER_LARGER,
};

static inline seL4_Word region_pattern(seL4_Word seed, seL4_Word i)
{
    return seed * 0x9e3779b97f4a7c15ul + i;
}

static inline void region_write(seL4_Word address, seL4_Word bytes, seL4_Word seed)
{
    for (seL4_Word i = 0; i < bytes / 8; i++) {
        ((volatile seL4_Word *)address)[i] = region_pattern(seed, i);
    }
}

static inline seL4_Word region_count_wrong(seL4_Word address, seL4_Word bytes, seL4_Word seed)
{
    seL4_Word wrong = 0;
    for (seL4_Word i = 0; i < bytes / 8; i++) {
        wrong += ((volatile seL4_Word *)address)[i] != region_pattern(seed, i);
    }
    return wrong;
}

#endif /* TESTS_MEMORY_REGIONS_H */
