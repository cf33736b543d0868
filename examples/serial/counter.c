/* Counts and prints every number: a client that always has output. */

#include "client.h"

/* The queue, set by the tool. */
struct queue *output;

#define LAST 2000
#define LONGEST_LINE 32

static unsigned count;

static void put_number(unsigned number)
{
    char digits[11];
    int length = 10;
    digits[length] = 0;
    do {
        digits[--length] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    put(digits + length);
}

static void count_on(void)
{
    while (count < LAST && room() >= LONGEST_LINE) {
        put("counter: ");
        put_number(++count);
        put("\r\n");
    }
    microkit_notify(DRIVER);
}

void init(void)
{
    count_on();
}

/* The queue has room again. */
void notified(microkit_channel ch)
{
    (void)ch;
    if (count < LAST) {
        count_on();
    }
}
