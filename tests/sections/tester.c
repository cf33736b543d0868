/* Holds values in every register while the kernel computes digests for it. A program that does the same preempts it, and
 * interrupts arrive whose kernel handler also uses vector registers. */

#include <limen.h>

#include "counts.h"
#include "level.h"
#include "state.h"
#include "test.h"

/* Set by the tool. */
seL4_Word counts;
seL4_Word keys;
seL4_Word text;

#define TEXT 0
#define KEYS_WORDS (0x1000 / sizeof(seL4_Word))
/* Each round has its interrupt a little later. */
#define ROUNDS 400

static struct state written;
static struct state found;

static struct counts *told(void)
{
    return (struct counts *)counts;
}

#if defined(__aarch64__)
/* The timer is this program's to set, so its interrupt comes when the kernel is at work. */
static void raise_later(seL4_Word round)
{
    __asm__ volatile ("msr cntp_tval_el0, %0\n\tmsr cntp_ctl_el0, %1\n\tisb" : : "r"(round * 8), "r"(1ul) : "memory");
}
#else
/* Only at once. */
static void raise_later(seL4_Word round)
{
    (void)round;
    level_raise();
}
#endif

/* Waits until the last interrupt has been served. */
static void settle(seL4_Word interrupts)
{
    for (seL4_Word i = 0; i < 100000000 && told()->interrupts < interrupts; i++) {
        __asm__ volatile ("" : : : "memory");
    }
}

static void run(limen_fpu_policy_t policy)
{
    limen_digest_t first;
    limen_digest_t digest;
    CHECK_EQUAL(limen_fpu_set_policy(policy, 0), seL4_NoError);
    CHECK_EQUAL(limen_digest(TEXT, &first), seL4_NoError);
    for (seL4_Word round = 0; round < ROUNDS; round++) {
        seL4_Word interrupts = told()->interrupts;
        ((volatile seL4_Word *)keys)[KEYS_WORDS - 1] = round + 1;
        state_fill(&written);
        state_write(&written);
        raise_later(round);
        seL4_Error error = limen_digest(TEXT, &digest);
        state_read(&found);
        CHECK_EQUAL(error, seL4_NoError);
        CHECK(state_equal(&written, &found));
        for (int i = 0; i < LIMEN_DIGEST_WORDS; i++) {
            CHECK_EQUAL(digest.words[i], first.words[i]);
        }
        settle(interrupts + 1);
        CHECK_EQUAL(((volatile seL4_Word *)keys)[KEYS_WORDS - 1], 0);
    }
    CHECK_EQUAL(told()->other_registers, 0);
    CHECK_EQUAL(told()->other_digests, 0);
}

static void registers_are_kept_under_semi_lazy(void)
{
    run(LIMEN_FPU_SEMI_LAZY);
}

static void registers_are_kept_under_fault_lazy(void)
{
    run(LIMEN_FPU_FAULT_LAZY);
}

static void registers_are_kept_under_eager(void)
{
    run(LIMEN_FPU_EAGER);
    /* Other programs have requested digests as well. */
    for (seL4_Word i = 0; i < 100000000 && told()->digests < 3; i++) {
        __asm__ volatile ("" : : : "memory");
    }
    CHECK(told()->digests >= 3);
}

void init(void)
{
    for (seL4_Word i = 0; i < 0x3000 / sizeof(seL4_Word); i++) {
        ((volatile seL4_Word *)text)[i] = i * i;
    }
    RUN(registers_are_kept_under_semi_lazy);
    RUN(registers_are_kept_under_fault_lazy);
    RUN(registers_are_kept_under_eager);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
