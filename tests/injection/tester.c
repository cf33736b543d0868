/* Runs in a loop, while the debugger stops the machine and makes a device interrupt or flips a bit of memory. The kernel
 * works between `round_begins` and `round_ends`. */

#include <limen.h>

#include "counts.h"
#include "rounds.h"
#include "state.h"
#include "test.h"

/* Set by the tool. */
seL4_Word counts;
seL4_Word keys;
seL4_Word text;

#define TEXT 0
#define DIGESTS 3
#define KEYS_WORDS (0x1000 / sizeof(seL4_Word))

static struct state written;
static struct state found;

static struct counts *told(void)
{
    return (struct counts *)counts;
}

static int is_equal(const limen_digest_t *one, const limen_digest_t *other)
{
    int equal = 1;
    for (int i = 0; i < LIMEN_DIGEST_WORDS; i++) {
        equal &= one->words[i] == other->words[i];
    }
    return equal;
}

static void run(limen_fpu_policy_t policy)
{
    limen_digest_t first;
    limen_digest_t digest;
    CHECK_EQUAL(limen_fpu_set_policy(policy, 0), seL4_NoError);
    CHECK_EQUAL(limen_digest(TEXT, &first), seL4_NoError);
    volatile seL4_Word *key = &((volatile seL4_Word *)keys)[KEYS_WORDS - 1];
    rounds.interrupts = &told()->interrupts;
    for (rounds.left = 1; rounds.left > 0; rounds.left--) {
        seL4_Word before = told()->interrupts;
        *key = 1;
        state_fill(&written);
        state_write(&written);
        round_begins();
        seL4_Error error = limen_digest(TEXT, &digest);
        state_read(&found);
        seL4_Word served = told()->interrupts;
        seL4_Word left = *key;
        seL4_Word after = told()->interrupts;
        round_ends();
        CHECK_EQUAL(error, seL4_NoError);
        CHECK(state_equal(&written, &found));
        CHECK(is_equal(&digest, &first));
        /* Unless one came between the two. */
        if (served == after) {
            CHECK_EQUAL(left, served == before);
        }
    }
    CHECK_EQUAL(told()->other_registers, 0);
    CHECK_EQUAL(told()->other_digests, 0);
}

static void interrupts_under_semi_lazy(void)
{
    run(LIMEN_FPU_SEMI_LAZY);
}

static void interrupts_under_fault_lazy(void)
{
    run(LIMEN_FPU_FAULT_LAZY);
}

static void interrupts_under_eager(void)
{
    run(LIMEN_FPU_EAGER);
    CHECK(told()->digests > 0);
}

static void bits_that_change(void)
{
    limen_digest_t first[DIGESTS];
    limen_digest_t digest;
    for (seL4_Word id = 0; id < DIGESTS; id++) {
        CHECK_EQUAL(limen_digest(id, &first[id]), seL4_NoError);
    }
    for (rounds.left = 1; rounds.left > 0; rounds.left--) {
        round_begins();
        seL4_Word changed = 0;
        for (seL4_Word id = 0; id < DIGESTS; id++) {
            CHECK_EQUAL(limen_digest(id, &digest), seL4_NoError);
            changed |= (seL4_Word)!is_equal(&digest, &first[id]) << id;
        }
        rounds.changed = changed;
        round_ends();
    }
    CHECK_EQUAL(rounds.changed, 0);
}

void init(void)
{
    RUN(interrupts_under_semi_lazy);
    RUN(interrupts_under_fault_lazy);
    RUN(interrupts_under_eager);
    RUN(bits_that_change);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
