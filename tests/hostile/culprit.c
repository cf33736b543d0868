/* Faults after the forger is done, so that the monitor has something true to report. */

#include <microkit.h>

void init(void)
{
    microkit_internal_crash(seL4_NoError);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
