/* Carries out the next system call each time that it is resumed, while callers with the longest messages queue. Where it sends as well,
 * a program above it runs then, and has received as much. */

#include "figures.h"
#include "user.h"

#define OWN_THREAD 1
#define ECHO 61

seL4_Word shared_page;

static void step(int number)
{
    limen_words_t words = { SENT, 2, 3, 4 };
    seL4_MessageInfo_t info = longest(0, LIMEN_REPLY_CAP);
    seL4_CPtr echo = BASE_ENDPOINT_CAP + ECHO;
    enum figure figure;
    limen_received_t received;
    shared()->gap = 0;
    seL4_Word before = limen_counter();
    shared()->before = before;
    switch (number) {
    case 0:
        figure = figure_recv;
        received = limen_trap_receive(seL4_SysRecv, LIMEN_INPUT_CAP, LIMEN_REPLY_CAP);
        break;
    case 1:
        figure = figure_reply_recv_twice;
        received = limen_trap_send_receive(seL4_SysReplyRecv, LIMEN_INPUT_CAP, info, words, LIMEN_REPLY_CAP);
        break;
    case 2:
        figure = figure_nb_send_recv;
        received = limen_trap_nb_send_recv(echo, LIMEN_INPUT_CAP, info, words, LIMEN_REPLY_CAP);
        break;
    case 3:
        figure = figure_nb_recv;
        received = limen_trap_receive(seL4_SysNBRecv, LIMEN_INPUT_CAP, LIMEN_REPLY_CAP);
        break;
    case 4:
        figure = figure_nb_send_wait;
        received = limen_trap_send_receive(seL4_SysNBSendWait, LIMEN_INPUT_CAP, info, words, echo);
        break;
    case 5:
        figure = figure_wait;
        received = limen_trap_receive(seL4_SysWait, LIMEN_INPUT_CAP, seL4_CapNull);
        break;
    default:
        figure = figure_nb_wait;
        received = limen_trap_receive(seL4_SysNBWait, LIMEN_INPUT_CAP, seL4_CapNull);
        break;
    }
    seL4_Word after = limen_counter();
    bench_check(seL4_MessageInfo_get_length(received.info) == MOST_WORDS, "the server has not received");
    shared()->before = 0;
    shared()->figures[figure] = shared()->gap ? shared()->gap : after - before;
}

void init(void)
{
    use_fpu();
    for (int number = 0;; number++) {
        limen_invoke_plain(root(OWN_THREAD), TCBSuspend, 0);
        step(number);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
