/* Signals every other program once. */

#include <microkit.h>

void init(void)
{
    for (microkit_channel ch = 0; ch < MICROKIT_MAX_CHANNELS; ch++) {
        microkit_notify(ch);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
