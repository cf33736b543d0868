/* Has memory that its driver's device reads. */

#include "test.h"

#define DRIVER 2
#define PAGE_BYTES 4096ul
#define WORDS (PAGE_BYTES / sizeof(seL4_Word))
#define REGION_BYTES 0x200000ul

/* Set by the tool. */
seL4_Word client_data, client_data_paddr, shared;

static void memory_of_the_client_is_zero(void)
{
    const seL4_Word *words = (const seL4_Word *)client_data;
    seL4_Word sum = 0;
    for (seL4_Word i = 0; i < REGION_BYTES / sizeof(seL4_Word); i++) {
        sum |= words[i];
    }
    CHECK_EQUAL(sum, 0);
}

static void the_device_finds_what_the_client_wrote(void)
{
    volatile seL4_Word *last_page = (volatile seL4_Word *)(client_data + REGION_BYTES - PAGE_BYTES);
    for (seL4_Word i = 0; i < WORDS; i++) {
        last_page[i] = ~i;
    }
    microkit_mr_set(0, client_data_paddr + REGION_BYTES - PAGE_BYTES);
    microkit_ppcall(DRIVER, microkit_msginfo_new(0, 1));
    const volatile seL4_Word *found = (const volatile seL4_Word *)shared;
    for (seL4_Word i = 0; i < WORDS; i++) {
        CHECK_EQUAL(found[i], ~i);
    }
}

void init(void)
{
    RUN(memory_of_the_client_is_zero);
    RUN(the_device_finds_what_the_client_wrote);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
