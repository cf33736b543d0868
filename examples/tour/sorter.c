/* A passive server: after init it has no scheduling context and runs on its caller's. */

#include <microkit.h>

#include "say.h"

#define MOST_NUMBERS (0x1000 / sizeof(unsigned long))

/* Shared with the client. The tool sets the address. */
unsigned long *numbers;

static void sort(unsigned long count)
{
    for (unsigned long end = 1; end < count; end++) {
        unsigned long value = numbers[end];
        unsigned long place = end;
        for (; place > 0 && numbers[place - 1] > value; place--) {
            numbers[place] = numbers[place - 1];
        }
        numbers[place] = value;
    }
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Message word 0: the count of numbers in shared memory. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    unsigned long count = microkit_mr_get(0);
    if (count <= MOST_NUMBERS) {
        sort(count);
    }
    say("I sorted the numbers where they are.");
    return microkit_msginfo_new(0, 0);
}
