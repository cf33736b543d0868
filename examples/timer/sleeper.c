/* Asks to be woken three times, and checks that it was not woken early. Two protection domains run it. */

#include <microkit.h>
#include "timer.h"

#define TIMER 0
#define ALARMS 3

/* The one called fast sleeps for 2 milliseconds, the other for 20. */
static unsigned long delay_us;
static unsigned long asked_at;
static unsigned alarms;

static void print_name(void)
{
    for (int i = 0; i < MICROKIT_PD_NAME_LENGTH && microkit_name[i]; i++) {
        microkit_dbg_putc(microkit_name[i]);
    }
}

static unsigned long call(enum timer_request request, unsigned long argument)
{
    microkit_mr_set(0, argument);
    microkit_ppcall(TIMER, microkit_msginfo_new(request, 1));
    return microkit_mr_get(0);
}

void init(void)
{
    delay_us = microkit_name[0] == 'f' ? 2000 : 20000;
    asked_at = call(TIMER_WAKE_AFTER, delay_us);
}

void notified(microkit_channel ch)
{
    (void)ch;
    unsigned long slept = call(TIMER_NOW, 0) - asked_at;
    print_name();
    microkit_dbg_puts(": alarm ");
    microkit_dbg_put32(++alarms);
    microkit_dbg_puts(slept < delay_us ? " came early\n" : " came, and not early\n");
    if (alarms < ALARMS) {
        asked_at = call(TIMER_WAKE_AFTER, delay_us);
    }
}
