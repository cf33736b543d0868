/* Answers every caller, with each word one more, and looks at its registers and memory while it does: as a passive server, on the
 * time of an attacker as often as on that of a victim. */

#include "held.h"
#include "watch.h"

#define CANARIES 64

/* Every so many requests the kernel works for it, for longer than many a caller's budget. */
#define WORK_EVERY 16

/* Set by the tool. */
seL4_Word watch;

static struct held held;
static volatile seL4_Word canaries[CANARIES];
static enum victim self;
static seL4_Word served;

static void expect(seL4_Bool holds, seL4_Word line)
{
    struct watch *report = (struct watch *)watch;
    if (!holds && !report->line[self]) {
        report->line[self] = line;
    }
}

static void check_registers(hold_t hold, seL4_Word used)
{
    held_fill(&held, served ^ ((seL4_Word)self << 32));
    hold(&held);
    expect(held_count_changed(&held, used) == 0, __LINE__);
}

void init(void)
{
    self = own_place();
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    seL4_Word words = microkit_msginfo_get_count(request);
    for (seL4_Word i = 0; i < CANARIES; i++) {
        canaries[i] = served * i;
    }
    for (seL4_Word i = 0; i < words; i++) {
        microkit_mr_set((seL4_Uint8)i, microkit_mr_get((seL4_Uint8)i) + 1);
    }
    served++;
    check_registers(hold_nothing, USED_BY_NOTHING);
    if (served % WORK_EVERY == 0) {
        seL4_Word mr0 = microkit_mr_get(0), mr1 = microkit_mr_get(1), mr2 = microkit_mr_get(2), mr3 = microkit_mr_get(3);
        check_registers(hold_service, USED_BY_CALL);
        microkit_mr_set(0, mr0);
        microkit_mr_set(1, mr1);
        microkit_mr_set(2, mr2);
        microkit_mr_set(3, mr3);
    }
    for (seL4_Word i = 0; i < CANARIES; i++) {
        expect(canaries[i] == (served - 1) * i, __LINE__);
    }
    ((struct watch *)watch)->rounds[self]++;
    return microkit_msginfo_new(microkit_msginfo_get_label(request), (seL4_Uint16)words);
}
