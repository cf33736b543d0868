/* Consumes items: adds up their consecutive numbers. */

#include "items.h"

#define PRODUCER 0

/* Memory shared with the producer; set by the tool. */
seL4_Word items;

void init(void)
{
}

void notified(microkit_channel ch)
{
    struct items *shared = (struct items *)items;
    (void)ch;
    number_t first = shared->numbers[0], sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        sum += shared->numbers[i];
    }
    shared->wrong += sum != LENGTH * first + LENGTH * (LENGTH - 1) / 2;
    shared->taken = limen_counter();
    microkit_notify(PRODUCER);
}
