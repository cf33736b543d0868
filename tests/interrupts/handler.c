/* Drives the level-triggered device on the tester's orders. Records every interrupt in the journal. */

#include "journal.h"
#include "level.h"
#include "orders.h"

/* The id of the interrupt, and where the journal is; set by the tool. */
seL4_Word level_id;
seL4_Word journal;

static enum answer answer = ANSWER_CLEAR;
static unsigned times_left;

/* The interrupt is pending before any program can receive it. */
void init(void)
{
    level_start();
    level_raise();
    /* Longer than a processor may take to notice. */
    for (volatile int i = 0; i < 1000; i++) {
    }
}

void notified(microkit_channel ch)
{
    journal_add(ch);
    if (ch != level_id) {
        return;
    }
    if (answer == ANSWER_NOTHING) {
        return;
    }
    if (answer != ANSWER_FOR_EVER && (answer != ANSWER_TEN_TIMES || times_left-- == 0)) {
        level_clear();
    }
    if (answer == ANSWER_CLEAR_AND_DEFER) {
        microkit_deferred_irq_ack(ch);
    } else {
        microkit_irq_ack(ch);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    if (microkit_msginfo_get_label(request) == ORDER_ANSWER) {
        answer = (enum answer)microkit_mr_get(0);
        times_left = 10;
    } else {
        microkit_irq_ack((microkit_channel)level_id);
    }
    return microkit_msginfo_new(0, 0);
}
