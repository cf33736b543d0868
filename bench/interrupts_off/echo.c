/* Receives. Answers what does not say that it is only sent, with the longest message. */

#include "figures.h"
#include "user.h"

seL4_Word shared_page;

void init(void)
{
    limen_words_t words = { 1, 2, 3, 4 };
    use_fpu();
    for (;;) {
        limen_received_t received = limen_trap_receive(seL4_SysRecv, LIMEN_INPUT_CAP, LIMEN_REPLY_CAP);
        landed();
        while (received.badge & LIMEN_BADGE_PROTECTED_CALL && received.words.mr0 != SENT) {
            seL4_MessageInfo_t info = longest(0, LIMEN_REPLY_CAP);
            shared()->before = limen_counter();
            received = limen_trap_send_receive(seL4_SysReplyRecv, LIMEN_INPUT_CAP, info, words, LIMEN_REPLY_CAP);
            landed();
        }
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
