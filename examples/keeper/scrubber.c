/* Compares memory with the digests of its first pass, in otherwise idle time. */

#include "measure.h"

#define PASS_CHANNEL 0
#define CHANGE_CHANNEL 1

/* Names of the watched memory, by id of the digest. */
static const char *const names[] = { "the parser's code", "settings" };

#define DIGESTS (sizeof(names) / sizeof(names[0]))

static limen_digest_t first[DIGESTS];

static void print_pass(seL4_Uint32 pass, const char *what, const char *finding)
{
    microkit_dbg_puts("scrubber: pass ");
    microkit_dbg_put32(pass);
    microkit_dbg_puts(", ");
    microkit_dbg_puts(what);
    microkit_dbg_puts(finding);
}

/* The number of changes. */
static int look(seL4_Uint32 pass)
{
    int changes = 0;
    for (seL4_Word id = 0; id < DIGESTS; id++) {
        limen_digest_t now = measure(id);
        if (!is_equal(&now, &first[id])) {
            print_pass(pass, names[id], " changed\n");
            changes++;
        }
    }
    return changes;
}

void init(void)
{
    for (seL4_Word id = 0; id < DIGESTS; id++) {
        first[id] = measure(id);
    }
    /* The work runs in init instead of an event handler, because no program waits for this one. */
    for (seL4_Uint32 pass = 1; look(pass) == 0; pass++) {
        print_pass(pass, "nothing", " changed\n");
        microkit_notify(PASS_CHANNEL);
    }
    microkit_notify(CHANGE_CHANNEL);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
