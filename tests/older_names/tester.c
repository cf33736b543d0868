#include <microkit.h>
#include "own.h"
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

/* Whether the bytes from the second on hold `value`, as many as `count`, and no others. */
static bool only_these_hold(int count, uint8_t value)
{
    for (int i = 0; i < BYTES; i++) {
        bool is_inside = i >= 1 && i < 1 + count;
        if (((volatile uint8_t *)shared)[i] != (is_inside ? value : i + 1)) {
            return false;
        }
    }
    return true;
}

static void memzero_comes_with_the_header(void)
{
    for (int count = 0; count < BYTES; count += 9) {
        fill();
        memzero((void *)(shared + 1), (unsigned long)count);
        CHECK(only_these_hold(count, 0));
    }
}

static void a_program_of_the_other_compiler_clears_memory(void)
{
    for (int count = 0; count < BYTES; count += 9) {
        fill();
        microkit_ppcall(SERVER_CHANNEL, microkit_msginfo_new((seL4_Word)count, 0));
        CHECK(only_these_hold(count, 0));
    }
}

static void a_program_may_have_a_memzero_of_its_own(void)
{
    fill();
    CHECK(clear_with_own(shared + 1, 9));
    CHECK(only_these_hold(9, OWN_MARK));
}

static void so_may_a_program_of_the_other_compiler(void)
{
    fill();
    microkit_mr_set(0, 1);
    microkit_ppcall(SERVER_CHANNEL, microkit_msginfo_new(9, 1));
    CHECK(only_these_hold(9, OWN_MARK));
}

void init(void)
{
    RUN(memzero_comes_with_the_header);
    RUN(a_program_of_the_other_compiler_clears_memory);
    RUN(a_program_may_have_a_memzero_of_its_own);
    RUN(so_may_a_program_of_the_other_compiler);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
