/* Calls servers in every way and checks the answers. */

#include "journal.h"
#include "service.h"
#include "test.h"

#define ACTIVE 0
#define PASSIVE 61
#define MIDDLE 5
#define GATE 12
#define CLIENT_LOW 20
#define CLIENT_HIGH 21
#define CLIENT_TWIN 22

/* Bits of a label. */
#define LABEL_MASK ((1ul << 52) - 1)

seL4_Word journal;

/* The server that the tests of RUN_FOR call. */
static microkit_channel server;

static void exchange(seL4_Word count)
{
    put_pattern(PATTERN_REQUEST, 0, count);
    put_pattern(PATTERN_STALE, count, seL4_MsgMaxLength);
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(SERVICE_EXCHANGE, (seL4_Uint16)count));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), 0);
    CHECK_EQUAL(microkit_msginfo_get_count(answer), count);
    CHECK_EQUAL(count_wrong(PATTERN_ANSWER, 0, count), 0);
    CHECK_EQUAL(count_wrong(PATTERN_STALE, count, seL4_MsgMaxLength), 0);
}

static void no_words(void)
{
    exchange(0);
}

static void one_word(void)
{
    exchange(1);
}

static void four_words(void)
{
    exchange(4);
}

static void five_words(void)
{
    exchange(5);
}

static void sixty_four_words(void)
{
    exchange(64);
}

static void hundred_and_twenty_words(void)
{
    exchange(120);
}

static void labels_are_52_bits_wide(void)
{
    seL4_Word label = 0xfedcba9876543ul;
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(label, 0));
    CHECK_EQUAL(microkit_msginfo_get_count(answer), 3);
    CHECK_EQUAL(microkit_mr_get(1), label);
    microkit_mr_set(0, ~0ul);
    answer = microkit_ppcall(server, microkit_msginfo_new(SERVICE_LABEL, 1));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), LABEL_MASK);
}

static void the_server_sees_its_own_channel(void)
{
    microkit_ppcall(server, microkit_msginfo_new(SERVICE_DESCRIBE, 0));
    CHECK_EQUAL(microkit_mr_get(0), server == ACTIVE ? 61 : 0);
}

static void lengths_beyond_the_buffer_are_cut(void)
{
    microkit_ppcall(server, seL4_MessageInfo_new(SERVICE_DESCRIBE, 0, 0, 127));
    CHECK_EQUAL(microkit_mr_get(2), seL4_MsgMaxLength);
}

static void fill(seL4_Word request, seL4_Word answer_words)
{
    put_pattern(PATTERN_STALE, 0, seL4_MsgMaxLength);
    microkit_mr_set(0, answer_words);
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(SERVICE_FILL, (seL4_Uint16)request));
    CHECK_EQUAL(microkit_msginfo_get_count(answer), answer_words);
    CHECK_EQUAL(count_wrong(PATTERN_ANSWER, 0, answer_words), 0);
    CHECK_EQUAL(count_wrong(PATTERN_STALE, answer_words ? answer_words : 1, seL4_MsgMaxLength), 0);
}

static void answers_may_be_longer_or_shorter(void)
{
    fill(1, 120);
    fill(120, 0);
    fill(120, 1);
    fill(1, 5);
    fill(64, 4);
}

static void untouched_words_come_back(void)
{
    put_pattern(PATTERN_REQUEST, 0, 20);
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(SERVICE_KEEP, 20));
    CHECK_EQUAL(microkit_msginfo_get_count(answer), 20);
    CHECK_EQUAL(count_wrong(PATTERN_REQUEST, 0, 20), 0);
}

static void an_empty_call_keeps_the_words(void)
{
    put_pattern(PATTERN_STALE, 0, seL4_MsgMaxLength);
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(SERVICE_KEEP, 0));
    CHECK_EQUAL(microkit_msginfo_get_count(answer), 0);
    CHECK_EQUAL(count_wrong(PATTERN_STALE, 0, seL4_MsgMaxLength), 0);
}

/* The compiler sees that the message is empty. */
static void an_empty_call_may_have_an_answer(void)
{
    for (seL4_Word count = 0; count <= seL4_MsgMaxLength; count++) {
        put_pattern(PATTERN_STALE, 0, seL4_MsgMaxLength);
        microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(SERVICE_WORDS + count, 0));
        CHECK_EQUAL(microkit_msginfo_get_count(answer), count);
        CHECK_EQUAL(count_wrong(PATTERN_ANSWER, 0, count), 0);
        CHECK_EQUAL(count_wrong(PATTERN_STALE, count, seL4_MsgMaxLength), 0);
    }
}

static void one_after_another(void)
{
    for (seL4_Word i = 0; i < 2000; i++) {
        exchange(i % 121);
    }
}

static void run_for_server(const char *name, microkit_channel ch)
{
    server = ch;
    RUN_FOR(name, no_words);
    RUN_FOR(name, one_word);
    RUN_FOR(name, four_words);
    RUN_FOR(name, five_words);
    RUN_FOR(name, sixty_four_words);
    RUN_FOR(name, hundred_and_twenty_words);
    RUN_FOR(name, labels_are_52_bits_wide);
    RUN_FOR(name, the_server_sees_its_own_channel);
    RUN_FOR(name, lengths_beyond_the_buffer_are_cut);
    RUN_FOR(name, answers_may_be_longer_or_shorter);
    RUN_FOR(name, untouched_words_come_back);
    RUN_FOR(name, an_empty_call_keeps_the_words);
    RUN_FOR(name, an_empty_call_may_have_an_answer);
    RUN_FOR(name, one_after_another);
}

/* All three call while deep is still in its init. */
static void callers_are_served_by_priority(void)
{
    journal_clear();
    microkit_notify(CLIENT_LOW);
    microkit_notify(CLIENT_TWIN);
    microkit_notify(CLIENT_HIGH);
    CHECK_EQUAL(journal_count(), 0);
    microkit_notify(GATE);
    CHECK_JOURNAL(21, 20, 22);
}

static void a_call_inside_a_call(void)
{
    microkit_mr_set(0, 10);
    microkit_mr_set(1, 20);
    microkit_msginfo answer = microkit_ppcall(MIDDLE, microkit_msginfo_new(0, 2));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), 100 * 8 + 6 + 1);
    CHECK_EQUAL(microkit_msginfo_get_count(answer), 2);
    CHECK_EQUAL(microkit_mr_get(0), 22);
    CHECK_EQUAL(microkit_mr_get(1), 42);
}

static void long_messages_inside_a_call(void)
{
    for (seL4_Word i = 0; i < 100; i++) {
        microkit_mr_set((seL4_Uint8)i, 1000 * i);
    }
    microkit_msginfo answer = microkit_ppcall(MIDDLE, microkit_msginfo_new(0, 100));
    CHECK_EQUAL(microkit_msginfo_get_count(answer), 100);
    for (seL4_Word i = 0; i < 100; i++) {
        CHECK_EQUAL(microkit_mr_get((seL4_Uint8)i), 2 * (1000 * i + 1));
    }
}

/* Buffer words beyond the message length stay unchanged. */
static void words_after_the_last_are_refused_in_debug(void)
{
#if defined(CONFIG_DEBUG_BUILD)
    seL4_Word before = seL4_GetUserData();
    seL4_SetUserData(17);
    microkit_mr_set(seL4_MsgMaxLength, 99);
    CHECK_EQUAL(microkit_mr_get(seL4_MsgMaxLength), 0);
    CHECK_EQUAL(microkit_mr_get(255), 0);
    CHECK_EQUAL(seL4_GetUserData(), 17);
    seL4_SetUserData(before);
#endif
}

void init(void)
{
    RUN(words_after_the_last_are_refused_in_debug);
    RUN(callers_are_served_by_priority);
    run_for_server("active", ACTIVE);
    run_for_server("passive", PASSIVE);
    RUN(a_call_inside_a_call);
    RUN(long_messages_inside_a_call);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
