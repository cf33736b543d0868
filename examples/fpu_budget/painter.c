/* Computes with floating-point numbers all the time, unaware that it must ask for each budget. */

#include <microkit.h>

static volatile double area = 1.0;

void init(void)
{
    for (;;) {
        area = area * 1.5 + 0.5;
        if (area > 1e6) {
            area = 1.0;
        }
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
