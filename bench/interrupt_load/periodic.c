/* Runs a little in each period, and records how late at most.
 *
 * It sleeps by giving up its budget, which comes back at the next release. Releases are multiples of a period apart,
 * however late the program runs. Interrupts that compute while it runs use its budget, which has room for several. */

#include "load.h"

seL4_Word load_base;

#define CONTROL microkit_cspace_root_slot_to_cptr(1)
#define OWN_TIME microkit_cspace_root_slot_to_cptr(2)
#define COUNTS_PER_US 1000ul
/* No multiple of the time between records, so that releases come at many places between them. */
#define PERIOD (307 * COUNTS_PER_US)
/* The shortest sleep. */
#define LEAST (PERIOD / 2)

static void sleep_until(seL4_Word release)
{
    seL4_Word us = (release - limen_counter()) / COUNTS_PER_US;
    if (seL4_SchedControl_Configure(CONTROL, OWN_TIME, us * 3 / 4, us, 0, 0) == seL4_NoError) {
        seL4_Yield();
    }
}

void init(void)
{
    struct load *load = this_load();
    seL4_Word now = limen_counter(), release = now;
    for (;;) {
        while (release < now + LEAST) {
            release += PERIOD;
        }
        load->release = release;
        sleep_until(release);
        now = limen_counter();
        if (now > release && now - release > load->longest_delay) {
            load->longest_delay = now - release;
        }
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
