/* Is notified while programs of higher priorities run, and runs after them. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}
