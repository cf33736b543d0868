/* Has neither the ring nor a key: tries to switch every key, then reads and writes where others have the ring. Each access
 * faults; the parent starts this program again, and the next attempt follows. */

#include <limen.h>
#include <limen/trace.h>

#include "orders.h"

#define PARENT 0

/* Survives a restart. */
static seL4_Word attempt;

static void attack(void)
{
    static const seL4_Word places[] = { OUTSIDERS_PLACES };
    for (seL4_Word key = 0; key < 32; key++) {
        if (limen_key_enable(key) == seL4_NoError || limen_key_disable(key) == seL4_NoError) {
            microkit_notify(PARENT);
        }
    }
    volatile seL4_Uint64 *place = (volatile seL4_Uint64 *)places[attempt / 2];
    int is_write = attempt % 2;
    attempt++;
    if (is_write) {
        *place = 0;
    } else {
        (void)*place;
    }
    /* Not reached. */
    microkit_notify(PARENT);
}

void init(void)
{
    if (attempt) {
        attack();
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
    attack();
}
