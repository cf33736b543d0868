/* Memory of both banks is like any other. */

#include "test.h"

/* Set by the tool. */
seL4_Word lower, lower_bytes, upper, upper_bytes;

/* Returns whether every word of a region is zero and keeps a value. */
static int is_memory(seL4_Word start, seL4_Word bytes)
{
    seL4_Word wrong = 0;
    for (seL4_Word at = start; at < start + bytes; at += sizeof(seL4_Word)) {
        wrong |= *(volatile seL4_Word *)at;
        *(volatile seL4_Word *)at = ~at;
    }
    for (seL4_Word at = start; at < start + bytes; at += sizeof(seL4_Word)) {
        wrong |= *(volatile seL4_Word *)at ^ ~at;
    }
    return !wrong;
}

static void the_lower_bank_can_be_used_to_its_end(void)
{
    CHECK(is_memory(lower, lower_bytes));
}

static void the_upper_bank_can_be_used_to_its_end(void)
{
    CHECK(is_memory(upper, upper_bytes));
}

void init(void)
{
    RUN(the_lower_bank_can_be_used_to_its_end);
    RUN(the_upper_bank_can_be_used_to_its_end);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
