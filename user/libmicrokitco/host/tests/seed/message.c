/* Message words and deferred signals. */

#include "seed.h"

static void keep_words(void)
{
    seL4_Word words[2];
    microkit_mr_set(0, 11);
    microkit_mr_set(1, 12);
    microkit_cothread_save_words(words, 2);
    microkit_cothread_yield();
    microkit_cothread_restore_words(words, 2);
    CHECK_EQUAL(microkit_mr_get(0), 11);
    CHECK_EQUAL(microkit_mr_get(1), 12);
    mark_self();
}

static void message_words_survive_where_asked(void)
{
    test_start();
    spawn(keep_words);
    spawn(keep_words);
    microkit_cothread_yield();
    microkit_mr_set(0, 1);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "12");
}

static unsigned int signals[8];

static void count_signal(microkit_channel ch)
{
    signals[ch % 8]++;
}

/* Each thread sets words and defers a signal before it switches. */
static void set_words_and_yield(void)
{
    int self;
    CHECK_EQUAL(microkit_cothread_my_handle(&self), co_no_err);
    for (seL4_Word round = 0; round < 3; round++) {
        for (seL4_Uint8 i = 0; i < 3; i++) {
            microkit_mr_set(i, (seL4_Word)self * 100 + i + round);
        }
        microkit_deferred_notify((microkit_channel)self);
        CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
        for (seL4_Uint8 i = 0; i < 3; i++) {
            CHECK_EQUAL(microkit_mr_get(i), (seL4_Word)self * 100 + i + round);
        }
    }
    mark_self();
}

static void each_thread_has_its_own_words_and_deferred_signal(void)
{
    if (!LIMEN_CO_OWN_WORDS) {
        return;
    }
    memset(signals, 0, sizeof(signals));
    limen_host_set_peer(count_signal);
    test_start();
    for (int i = 0; i < 4; i++) {
        spawn(set_words_and_yield);
    }
    set_words_and_yield();
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
    limen_host_run();
    CHECK_TEXT(marks(), "01234");
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(signals[i], 3);
    }
}

void message_tests(void)
{
    RUN(message_words_survive_where_asked);
    RUN(each_thread_has_its_own_words_and_deferred_signal);
}
