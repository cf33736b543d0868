/* Stores the counter in a loop. */

#include <limen.h>
#include <microkit.h>

#include "stamp.h"

/* The destination; set by the tool. */
seL4_Word stamp;

void init(void)
{
    for (;;) {
        ((volatile struct stamp *)stamp)->counter = limen_counter();
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
