/* Calls every kernel service. */

#include <limen.h>

#include "orders.h"
#include "test.h"

/* Set by the tool. */
seL4_Word orders;
seL4_Word victim_reset;

/* That of every program. */
extern char _start[];

#define VICTIM_CHANNEL 0
#define VICTIM 3
/* Digests. */
#define TEXT 0
#define CODE 1
#define KERNEL 4
/* A key. */
#define SELF_CHECK 9

static struct orders *told(void)
{
    return (struct orders *)orders;
}

/* Restarts the victim, and waits until it has checked its memory. */
static void restart_victim(void)
{
    seL4_Word starts = told()->starts;
    microkit_pd_restart(VICTIM, (seL4_Word)_start);
    CHECK_EQUAL(wait_for_signals(), 1 << VICTIM_CHANNEL);
    CHECK_EQUAL(told()->starts, starts + 1);
}

static void the_tool_tells_the_id(void)
{
    CHECK_EQUAL(victim_reset, 2);
}

static void a_program_that_could_run_is_not_reset(void)
{
    CHECK_EQUAL(wait_for_signals(), 1 << VICTIM_CHANNEL);
    CHECK_EQUAL(told()->was_pristine, 1);
    CHECK_EQUAL(limen_reset(victim_reset), seL4_IllegalOperation);
}

static void a_restart_alone_keeps_what_was_changed(void)
{
    microkit_pd_stop(VICTIM);
    restart_victim();
    CHECK_EQUAL(told()->was_pristine, 0);
}

static void a_program_that_was_reset_starts_as_at_first(void)
{
    for (int i = 0; i < 3; i++) {
        microkit_pd_stop(VICTIM);
        CHECK_EQUAL(limen_reset(victim_reset), seL4_NoError);
        restart_victim();
        CHECK_EQUAL(told()->was_pristine, 1);
    }
}

static void a_program_that_has_faulted_is_reset(void)
{
    seL4_Word badge;
    told()->fault = 1;
    microkit_notify(VICTIM_CHANNEL);
    seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    told()->fault = 0;
    CHECK_EQUAL(limen_reset(victim_reset), seL4_NoError);
    restart_victim();
    CHECK_EQUAL(told()->was_pristine, 1);
}

/* The supervisor has run at least once in the middle if it has run twice during one call. */
static void others_run_while_the_kernel_works(void)
{
    microkit_pd_stop(VICTIM);
    seL4_Word most = 0;
    for (int i = 0; i < 1000 && most < 2; i++) {
        seL4_Word ticks = told()->ticks;
        CHECK_EQUAL(limen_reset(victim_reset), seL4_NoError);
        most = told()->ticks - ticks > most ? told()->ticks - ticks : most;
    }
    CHECK(most >= 2);
    restart_victim();
    CHECK_EQUAL(told()->was_pristine, 1);
}

static void a_call_that_was_stopped_starts_again(void)
{
    microkit_pd_stop(VICTIM);
    told()->disturbances = 4;
    while (told()->disturbances) {
        CHECK_EQUAL(limen_reset(victim_reset), seL4_NoError);
    }
    restart_victim();
    CHECK_EQUAL(told()->was_pristine, 1);
}

/* By the published program for BLAKE3: of 20 KiB of zeros, and of so many words that are their own number. */
static const limen_digest_t digest_of_zeros = {
    { 0xd22b473572f667e1, 0x3c4303441f220e67, 0xf0aaa2c28580f5a2, 0xbc9c6635bf9e3f5d }
};
static const limen_digest_t digest_of_numbers = {
    { 0xd274cd0555bba611, 0xbc64ee50f368ec9b, 0x95ec0740e412b9bb, 0xc0742c422b4f8e2a }
};

static void check_digest(seL4_Word id, const limen_digest_t *wanted)
{
    limen_digest_t digest;
    CHECK_EQUAL(limen_digest(id, &digest), seL4_NoError);
    for (int i = 0; i < LIMEN_DIGEST_WORDS; i++) {
        CHECK_EQUAL(digest.words[i], wanted->words[i]);
    }
}

static void a_digest_covers_the_present_contents(void)
{
    check_digest(TEXT, &digest_of_zeros);
    told()->fill = 1;
    microkit_notify(VICTIM_CHANNEL);
    CHECK_EQUAL(wait_for_signals(), 1 << VICTIM_CHANNEL);
    told()->fill = 0;
    check_digest(TEXT, &digest_of_numbers);
}

static void a_reset_leaves_memory_regions_and_code(void)
{
    limen_digest_t code;
    CHECK_EQUAL(limen_digest(CODE, &code), seL4_NoError);
    microkit_pd_stop(VICTIM);
    CHECK_EQUAL(limen_reset(victim_reset), seL4_NoError);
    restart_victim();
    check_digest(TEXT, &digest_of_numbers);
    check_digest(CODE, &code);
}

/* Also while others take the processor in the middle. */
static void a_digest_is_the_same_each_time(void)
{
    for (seL4_Word ticks = told()->ticks; told()->ticks < ticks + 20;) {
        check_digest(TEXT, &digest_of_numbers);
    }
    told()->disturbances = 20;
    while (told()->disturbances) {
        check_digest(TEXT, &digest_of_numbers);
    }
}

static void the_digest_of_the_kernel_does_not_depend_on_keys(void)
{
    limen_digest_t before;
    CHECK_EQUAL(limen_digest(KERNEL, &before), seL4_NoError);
    CHECK(before.words[0] != 0);
    CHECK_EQUAL(limen_key_inc(SELF_CHECK), seL4_NoError);
    check_digest(KERNEL, &before);
    CHECK_EQUAL(limen_key_dec(SELF_CHECK), seL4_NoError);
    check_digest(KERNEL, &before);
}

static void only_granted_capabilities_exist(void)
{
    limen_digest_t digest;
    for (seL4_Word id = 0; id <= LIMEN_MAX_SERVICE_ID; id++) {
        if (id > victim_reset && id != KERNEL) {
            CHECK_EQUAL(limen_reset(id), seL4_InvalidCapability);
            CHECK_EQUAL(limen_digest(id, &digest), seL4_InvalidCapability);
        }
    }
}

void init(void)
{
    RUN(the_tool_tells_the_id);
    RUN(a_program_that_could_run_is_not_reset);
    RUN(a_restart_alone_keeps_what_was_changed);
    RUN(a_program_that_was_reset_starts_as_at_first);
    RUN(a_program_that_has_faulted_is_reset);
    RUN(others_run_while_the_kernel_works);
    RUN(a_call_that_was_stopped_starts_again);
    RUN(a_digest_covers_the_present_contents);
    RUN(a_reset_leaves_memory_regions_and_code);
    RUN(a_digest_is_the_same_each_time);
    RUN(the_digest_of_the_kernel_does_not_depend_on_keys);
    RUN(only_granted_capabilities_exist);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
