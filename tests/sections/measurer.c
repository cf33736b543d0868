/* Holds values in every register while the kernel computes digests for it. */

#include <limen.h>

#include "counts.h"
#include "state.h"

/* Which digest is the description's to say. */
#define DIGEST 0

seL4_Word counts;

static struct state written;
static struct state found;

void init(void)
{
    struct counts *told = (struct counts *)counts;
    limen_digest_t first;
    limen_digest_t digest;
    limen_digest(DIGEST, &first);
    for (;;) {
        state_fill(&written);
        state_write(&written);
        seL4_Error error = limen_digest(DIGEST, &digest);
        state_read(&found);
        int is_same = error == seL4_NoError;
        for (int i = 0; i < LIMEN_DIGEST_WORDS; i++) {
            is_same &= digest.words[i] == first.words[i];
        }
        told->other_digests += !is_same;
        told->other_registers += !state_equal(&written, &found);
        told->digests++;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
