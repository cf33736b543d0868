/* Computes with a floating-point number once, then only with integers. */

#include <microkit.h>

static volatile double width = 80.0;
static volatile seL4_Word letters;

void init(void)
{
    width = width * 0.5;
    for (;;) {
        letters++;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
