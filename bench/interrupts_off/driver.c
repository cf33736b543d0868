/* Serves a device whose interrupts wipe. */

#include "figures.h"
#include "moment.h"
#include "user.h"

seL4_Word shared_page;

void init(void)
{
    use_fpu();
    shared()->device = moment_start();
    moment_clear();
}

void notified(microkit_channel ch)
{
    landed();
    shared()->figures[figure_line_wipe] = shared()->gap;
    moment_clear();
    limen_words_t words = { 0, 0, 0, 0 };
    seL4_MessageInfo_t info = longest(IRQAckIRQ, LIMEN_INPUT_CAP);
    seL4_Word before = limen_counter();
    limen_trap_call(BASE_IRQ_CAP + ch, info, words);
    seL4_Word after = limen_counter();
    shared()->figures[figure_acknowledge] = after - before;
}
