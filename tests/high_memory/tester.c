/* Memory above 4 GiB is like any other. */

#include "test.h"

#define GIB (1ul << 30)

/* An entry of the Multiboot memory map: its size after this word, start and length in two words each, kind. */
#define ENTRY_WORDS 6
#define KIND_RAM 1u

/* Set by the tool. */
seL4_Word fixed, fixed_paddr, filled, large, large_bytes, small, small_bytes, map;

/* Returns whether every word of a region is zero and keeps a value. */
static int is_memory(seL4_Word start, seL4_Word bytes)
{
    volatile seL4_Word *words = (volatile seL4_Word *)start;
    seL4_Word count = bytes / sizeof(seL4_Word);
    seL4_Word wrong = 0;
    for (seL4_Word i = 0; i < count; i++) {
        wrong |= words[i];
        words[i] = i ^ start;
    }
    for (seL4_Word i = 0; i < count; i++) {
        wrong |= words[i] ^ i ^ start;
    }
    return !wrong;
}

/* The machine has less than 64 MiB below 4 GiB, so that the test tests something. */
static void most_memory_is_above_four_gibibytes(void)
{
    const seL4_Uint32 *words = (const seL4_Uint32 *)(map + sizeof(seL4_BootInfoHeader));
    seL4_Word low = 0, high = 0;
    for (seL4_Uint32 i = 1; i < 1 + words[0] / sizeof(*words); i += ENTRY_WORDS) {
        seL4_Word start = words[i + 1] | (seL4_Word)words[i + 2] << 32;
        seL4_Word bytes = words[i + 3] | (seL4_Word)words[i + 4] << 32;
        if (words[i + 5] == KIND_RAM) {
            *(start < 4 * GIB ? &low : &high) += bytes;
        }
    }
    CHECK(low <= 64ul << 20);
    CHECK(high > 5 * GIB);
    CHECK(large_bytes > low);
}

static void memory_that_the_kernel_chose_is_zero_and_writable(void)
{
    CHECK(is_memory(large, large_bytes));
    CHECK(is_memory(small, small_bytes));
}

static void memory_at_a_fixed_address_is_zero_and_writable(void)
{
    CHECK_EQUAL(fixed_paddr, 0x150000000);
    CHECK(is_memory(fixed, 0x400000));
}

static void memory_at_a_fixed_address_may_be_filled(void)
{
    const char *text = (const char *)filled;
    CHECK(text[0] == 'T' && text[5] == 'p');
    CHECK_EQUAL(text[0x2fff], 0);
}

void init(void)
{
    RUN(most_memory_is_above_four_gibibytes);
    RUN(memory_that_the_kernel_chose_is_zero_and_writable);
    RUN(memory_at_a_fixed_address_is_zero_and_writable);
    RUN(memory_at_a_fixed_address_may_be_filled);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
