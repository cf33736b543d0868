/* Unbinds the scheduling context of a chain of calls (END=unbind), or stops the first caller, to which it returns when the
 * last server blocks (END=wait). */

#include "figures.h"
#include "user.h"

#define DEEP 0
#define LANDER 1
#define FIRST_TIME 1
#define FIRST_CALLER 2
/* One of the two is called. */
#define AN_END __attribute__((unused)) static void

seL4_Word shared_page;

static void await(microkit_channel channel)
{
    limen_received_t received;
    do {
        received = limen_trap_receive(seL4_SysWait, LIMEN_INPUT_CAP, seL4_CapNull);
    } while (received.badge != 1ul << channel);
}

AN_END unbind(void)
{
    seL4_MessageInfo_t info = longest(SchedContextUnbind, LIMEN_INPUT_CAP);
    limen_words_t words = { 0, 0, 0, 0 };
    seL4_Word before = limen_counter();
    limen_received_t answer = limen_trap_call(root(FIRST_TIME), info, words);
    seL4_Word after = limen_counter();
    bench_check(seL4_MessageInfo_get_label(answer.info) == seL4_NoError, "the time was not taken away");
    samples_print_one("interrupts_off label=SchedContextUnbind calls=58", after - before);
}

AN_END wait(void)
{
    bench_check(seL4_TCB_Suspend(root(FIRST_CALLER)) == seL4_NoError, "the first caller was not stopped");
    shared()->is_asked = 1;
    await(LANDER);
    bench_check(shared()->gap != 0, "the last server has not waited");
    samples_print_one("interrupts_off syscall=Recv calls=57", shared()->gap);
}

void init(void)
{
    await(DEEP);
    END();
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
