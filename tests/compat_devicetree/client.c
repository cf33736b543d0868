/* Fills the free queue and checks the active queue. */

#include "queue.h"
#include "test.h"

#define DRIVER 0
#define ENTRIES (QUEUE_ENTRIES - 2)
#define LARGE_PAGE 0x200000ul

/* Set by the tool. */
seL4_Word free_queue, active_queue, queue_bytes, data;

static seL4_Word number(seL4_Word index)
{
    return index * 0x9e3779b97f4a7c15ul ^ index;
}

static struct queue *active(void)
{
    return (struct queue *)active_queue;
}

static void a_queue_fills_sixteen_pages(void)
{
    CHECK_EQUAL(queue_bytes, QUEUE_BYTES);
    CHECK_EQUAL(active_queue - free_queue, QUEUE_BYTES);
}

static void every_entry_comes_back(void)
{
    struct queue *queue = (struct queue *)free_queue;
    for (seL4_Word i = 0; i < ENTRIES; i++) {
        queue->entries[i] = number(i);
    }
    queue->count = ENTRIES;
    microkit_notify(DRIVER);
    CHECK_EQUAL(wait_for_signals(), 1 << DRIVER);
    CHECK_EQUAL(active()->count, ENTRIES);
    for (seL4_Word i = 0; i < ENTRIES; i++) {
        CHECK_EQUAL(active()->entries[i], number(i));
    }
}

static void pinned_memory_is_where_it_was_pinned(void)
{
    seL4_Word ring = active()->entries[RING_PADDR], region = active()->entries[DATA_PADDR];
    CHECK_EQUAL(ring % 0x1000000, 0);
    CHECK_EQUAL(region - ring, LARGE_PAGE);
}

static void pinned_memory_is_shared(void)
{
    volatile const seL4_Word *copy = (volatile const seL4_Word *)data;
    CHECK_EQUAL(copy[0], number(0));
    CHECK_EQUAL(copy[ENTRIES - 1], number(ENTRIES - 1));
}

void init(void)
{
    RUN(a_queue_fills_sixteen_pages);
    RUN(every_entry_comes_back);
    RUN(pinned_memory_is_where_it_was_pinned);
    RUN(pinned_memory_is_shared);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
