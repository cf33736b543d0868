/* The timer driver: returns the time, and wakes clients when their alarms are due.
 *
 * It is passive: a call runs on the caller's scheduling context, an interrupt on the driver's initial one. It therefore
 * spends no budget of its own on calls, and no client can keep it busy at the expense of others. */

#include <microkit.h>
#include "clock.h"
#include "timer.h"

/* Clients are numbered by their channels, from 0. */
#define CLIENTS 2

/* The id of the interrupt; set by the tool. */
unsigned long interrupt;

static unsigned long deadlines[CLIENTS] = { NEVER, NEVER };

static unsigned long earliest(void)
{
    unsigned long found = NEVER;
    for (int i = 0; i < CLIENTS; i++) {
        found = deadlines[i] < found ? deadlines[i] : found;
    }
    return found;
}

static void wake_who_is_due(unsigned long now)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        if (deadlines[i] <= now) {
            deadlines[i] = NEVER;
            microkit_notify(i);
        }
    }
}

/* Wakes clients that are due, until the next alarm is in the future. */
static void serve(void)
{
    do {
        wake_who_is_due(clock_now());
        clock_set_alarm(earliest());
    } while (earliest() <= clock_now());
}

void init(void)
{
    clock_start();
}

void notified(microkit_channel ch)
{
    if (ch == interrupt) {
        clock_quiet();
        serve();
        microkit_deferred_irq_ack(ch);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    unsigned long now = clock_now();
    if (microkit_msginfo_get_label(request) == TIMER_WAKE_AFTER && ch < CLIENTS) {
        unsigned long delay = microkit_mr_get(0);
        /* One more, because part of the current microsecond has passed. */
        deadlines[ch] = delay < NEVER - now - 1 ? now + delay + 1 : NEVER;
        serve();
    }
    microkit_mr_set(0, now);
    return microkit_msginfo_new(0, 1);
}
