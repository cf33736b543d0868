#include <stdint.h>
#include <microkit.h>
#include "test.h"

#define SERVER_CHANNEL 1
#define BYTES 64

uintptr_t shared;

static void fill(void)
{
    for (int i = 0; i < BYTES; i++) {
        ((volatile uint8_t *)shared)[i] = (uint8_t)(i + 1);
    }
}

/* Whether the bytes from the second on are zero, as many as `count`, and no others. */
static int only_these_are_clear(int count)
{
    for (int i = 0; i < BYTES; i++) {
        int is_inside = i >= 1 && i < 1 + count;
        if (((volatile uint8_t *)shared)[i] != (is_inside ? 0 : i + 1)) {
            return 0;
        }
    }
    return 1;
}

static void memzero_comes_with_the_header(void)
{
    for (int count = 0; count < BYTES; count += 9) {
        fill();
        memzero((void *)(shared + 1), (unsigned long)count);
        CHECK(only_these_are_clear(count));
    }
}

static void a_program_of_the_other_compiler_clears_memory(void)
{
    for (int count = 0; count < BYTES; count += 9) {
        fill();
        microkit_ppcall(SERVER_CHANNEL, microkit_msginfo_new((seL4_Word)count, 0));
        CHECK(only_these_are_clear(count));
    }
}

void init(void)
{
    RUN(memzero_comes_with_the_header);
    RUN(a_program_of_the_other_compiler_clears_memory);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
