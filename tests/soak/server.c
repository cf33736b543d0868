/* Checks the number and the words of each call, and answers. */

#include "shared.h"
#include "own_fpu.h"
#include "random.h"

seL4_Word shared;

/* Channels of walkers begin here: direct calls, calls that it does not count, calls through another program. */
#define DIRECT 0
#define UNCOUNTED 10
#define INDIRECT 20

void init(void)
{
    random_diverge(own_number());
    fpu_write();
}

void notified(microkit_channel channel)
{
    (void)channel;
}

static microkit_msginfo answer(seL4_Word walker, int is_indirect, microkit_msginfo info)
{
    struct server *own = &all()->servers[own_number()];
    seL4_Word number = microkit_msginfo_get_label(info);
    seL4_Word words = microkit_msginfo_get_count(info);
    seL4_Word *last = &own->last[is_indirect][walker];
    seL4_Word is_wrong = 0;
    if (number == load(last)) {
        count(&own->repeated);
    } else {
        is_wrong = number != load(last) + 1;
        store(last, number);
    }
    for (seL4_Word i = 0; i < words; i++) {
        seL4_Word word = microkit_mr_get((seL4_Uint8)i);
        is_wrong |= word != word_of(walker, number, i);
        microkit_mr_set((seL4_Uint8)i, answer_of(word));
    }
    own->wrong_calls += is_wrong;
    return microkit_msginfo_new(number + 1, (seL4_Uint16)words);
}

microkit_msginfo protected(microkit_channel channel, microkit_msginfo info)
{
    all()->servers[own_number()].wrong_fpu += fpu_differs();
    fpu_write();
    if (channel >= INDIRECT) {
        return answer(channel - INDIRECT, 1, info);
    }
    if (channel >= UNCOUNTED) {
        return info;
    }
    return answer(channel - DIRECT, 0, info);
}
