/* Sees the tester's regions at other addresses. */

#include "regions.h"

/* Set by the tool. */
seL4_Word small, one_way, uncached, large, larger;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

static seL4_Word region(seL4_Word which)
{
    const seL4_Word regions[] = {
        [PEER_SMALL] = small, [PEER_ONE_WAY] = one_way, [PEER_UNCACHED] = uncached,
        [PEER_LARGE] = large, [PEER_LARGER] = larger,
    };
    return regions[which];
}

static void send_name(void)
{
    for (int word = 0; word < MICROKIT_PD_NAME_LENGTH / 8; word++) {
        seL4_Word bytes = 0;
        for (int byte = 0; byte < 8; byte++) {
            bytes |= (seL4_Word)(unsigned char)microkit_name[8 * word + byte] << (8 * byte);
        }
        microkit_mr_set((seL4_Uint8)word, bytes);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    seL4_Word seed = microkit_mr_get(1);
    seL4_Word bytes = microkit_mr_get(2);
    switch (microkit_msginfo_get_label(request)) {
    case PEER_WRITE:
        region_write(region(microkit_mr_get(0)), bytes, seed);
        return microkit_msginfo_new(0, 0);
    case PEER_COUNT_WRONG:
        return microkit_msginfo_new(region_count_wrong(region(microkit_mr_get(0)), bytes, seed), 0);
    default:
        send_name();
        return microkit_msginfo_new(0, MICROKIT_PD_NAME_LENGTH / 8);
    }
}
