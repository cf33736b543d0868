/* Tries every order of ten stops, which takes longer than its budget. */

#include <microkit.h>

#define CUSTOMER 0
#define STOPS 10

static volatile unsigned long tried;

static void try_orders(int stops)
{
    if (stops == 0) {
        tried++;
        return;
    }
    for (int i = 0; i < stops; i++) {
        try_orders(stops - 1);
    }
}

void init(void)
{
    try_orders(STOPS);
    microkit_notify(CUSTOMER);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
