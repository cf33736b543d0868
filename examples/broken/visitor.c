/* Looks up its appointment, but forgets that there may be none. */

#include <microkit.h>

#define DIRECTORY 0
#define UNKNOWN 2

struct appointment {
    int hour;
    int minute;
};

static struct appointment appointments[32];

static struct appointment *appointment_with(seL4_Word name)
{
    microkit_ppcall(DIRECTORY, microkit_msginfo_new(name, 0));
    seL4_Word room = microkit_mr_get(0);
    return room == 0 ? 0 : &appointments[room];
}

static int minute_of(volatile struct appointment *appointment)
{
    return appointment->minute;
}

void init(void)
{
    microkit_dbg_puts("visitor: ready\n");
    minute_of(appointment_with(UNKNOWN));
}

void notified(microkit_channel ch)
{
    (void)ch;
}
