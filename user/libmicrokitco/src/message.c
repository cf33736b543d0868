/* Message words and deferred signals of each thread, with LIBMICROKITCO_OWN_WORDS.
 *
 * A deferred signal is sent by the next receive, which only the root performs, so a thread that another one replaces sends
 * its signal at once. */

#include "schedule.h"

void save_messages(co_tcb_t *thread)
{
    microkit_cothread_save_words(thread->words, LIMEN_CO_OWN_WORDS);
    if (microkit_have_signal) {
        microkit_have_signal = false;
        seL4_Send(microkit_signal_cap, microkit_signal_msg);
    }
}

void restore_messages(const co_tcb_t *thread)
{
    microkit_cothread_restore_words(thread->words, LIMEN_CO_OWN_WORDS);
}
