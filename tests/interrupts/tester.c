/* Triggers both devices. The handler of the level-triggered one has a higher priority, so it has finished handling an
 * interrupt when the tester continues. The tester drives the other device itself. */

#include "edge.h"
#include "journal.h"
#include "level.h"
#include "machine.h"
#include "orders.h"
#include "test.h"

#define HANDLER 0
#define EDGE 1
#define LEVEL 61
#define NOTHING 5

#define EDGE_SIGNAL (1ul << EDGE)

seL4_Word journal;

/* Longer than a processor may take to notice an interrupt. */
static void pause(void)
{
    for (int i = 0; i < 8; i++) {
        seL4_Yield();
    }
}

/* Returns the signals pending after a pause. */
static seL4_Word signals(void)
{
    pause();
    return poll_signals();
}

static void order_answer(enum answer answer)
{
    journal_clear();
    microkit_mr_set(0, answer);
    microkit_ppcall(HANDLER, microkit_msginfo_new(ORDER_ANSWER, 1));
}

static void order_acknowledgement(void)
{
    microkit_ppcall(HANDLER, microkit_msginfo_new(ORDER_ACKNOWLEDGE, 0));
    pause();
}

static void raise_level(void)
{
    level_raise();
    pause();
}

static void an_interrupt_before_the_event_loop_is_handled_once(void)
{
    CHECK_JOURNAL(LEVEL);
}

static void an_interrupt_is_handled_at_once(void)
{
    order_answer(ANSWER_CLEAR);
    raise_level();
    CHECK_JOURNAL(LEVEL);
    raise_level();
    CHECK_JOURNAL(LEVEL, LEVEL);
}

static void an_acknowledgement_can_wait_for_the_next_receive(void)
{
    order_answer(ANSWER_CLEAR_AND_DEFER);
    raise_level();
    CHECK_JOURNAL(LEVEL);
    raise_level();
    CHECK_JOURNAL(LEVEL, LEVEL);
}

static void a_level_without_acknowledgement_interrupts_once(void)
{
    order_answer(ANSWER_NOTHING);
    raise_level();
    CHECK_JOURNAL(LEVEL);
    level_clear();
    raise_level();
    CHECK_JOURNAL(LEVEL);
    order_acknowledgement();
    CHECK_JOURNAL(LEVEL, LEVEL);
    level_clear();
    order_acknowledgement();
    CHECK_JOURNAL(LEVEL, LEVEL);
}

/* Where the emulator's interrupt controller forgets an active line at its completion, there is one interrupt instead. */
static void a_level_that_stays_interrupts_after_each_acknowledgement(void)
{
    order_answer(ANSWER_TEN_TIMES);
    raise_level();
    CHECK_EQUAL(journal_count(), LEVELS_COME_AGAIN ? 11 : 1);
    level_clear();
    pause();
}

static void an_acknowledgement_without_an_interrupt_does_nothing(void)
{
    order_answer(ANSWER_CLEAR);
    for (int i = 0; i < 3; i++) {
        order_acknowledgement();
    }
    CHECK_EQUAL(journal_count(), 0);
    raise_level();
    CHECK_JOURNAL(LEVEL);
}

static void an_edge_interrupts_once(void)
{
    edge_raise();
    CHECK_EQUAL(wait_for_signals(), EDGE_SIGNAL);
    CHECK_EQUAL(signals(), 0);
    edge_clear();
    microkit_irq_ack(EDGE);
    CHECK_EQUAL(signals(), 0);
}

static void the_next_edge_waits_for_the_acknowledgement(void)
{
    edge_raise();
    CHECK_EQUAL(wait_for_signals(), EDGE_SIGNAL);
    edge_clear();
    edge_raise();
    CHECK_EQUAL(signals(), 0);
    microkit_irq_ack(EDGE);
    CHECK_EQUAL(wait_for_signals(), EDGE_SIGNAL);
    edge_clear();
    microkit_irq_ack(EDGE);
    CHECK_EQUAL(signals(), 0);
}

static void edges_before_the_acknowledgement_are_one_interrupt(void)
{
    edge_raise();
    CHECK_EQUAL(wait_for_signals(), EDGE_SIGNAL);
    edge_clear();
    for (int i = 0; i < 3; i++) {
        edge_raise();
        pause();
        edge_clear();
    }
    CHECK_EQUAL(signals(), 0);
    microkit_irq_ack(EDGE);
    CHECK_EQUAL(signals(), EDGE_SIGNAL);
    microkit_irq_ack(EDGE);
    CHECK_EQUAL(signals(), 0);
}

static void a_storm_of_edges_does_not_stop_others(void)
{
    order_answer(ANSWER_CLEAR);
    for (int i = 0; i < 1000; i++) {
        edge_raise();
        edge_clear();
    }
    raise_level();
    CHECK_JOURNAL(LEVEL);
    CHECK_EQUAL(poll_signals(), EDGE_SIGNAL);
    microkit_irq_ack(EDGE);
    signals();
    microkit_irq_ack(EDGE);
    CHECK_EQUAL(signals(), 0);
}

static void an_unacknowledged_active_line_does_not_stop_others(void)
{
    order_answer(ANSWER_NOTHING);
    raise_level();
    for (int i = 0; i < 10; i++) {
        edge_raise();
        CHECK_EQUAL(wait_for_signals(), EDGE_SIGNAL);
        edge_clear();
        microkit_irq_ack(EDGE);
    }
    CHECK_JOURNAL(LEVEL);
    level_clear();
    order_acknowledgement();
    CHECK_JOURNAL(LEVEL);
}

/* The handler has a higher priority and is always ready, but its budget is limited. */
static void a_storm_costs_no_more_than_the_budget_of_its_driver(void)
{
    order_answer(ANSWER_FOR_EVER);
    raise_level();
    seL4_Word before = journal_count();
    CHECK(before >= (LEVELS_COME_AGAIN ? 100 : 1));
    level_clear();
    pause();
    CHECK(journal_count() <= before + 1);
}

static void an_interrupt_is_acknowledged_by_every_way_to_send(void)
{
    const seL4_CPtr interrupt = BASE_IRQ_CAP + EDGE;
    const seL4_MessageInfo_t request = seL4_MessageInfo_new(IRQAckIRQ, 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        edge_raise();
        CHECK_EQUAL(wait_for_signals(), EDGE_SIGNAL);
        edge_clear();
        if (i == 0) {
            CHECK_EQUAL(seL4_IRQHandler_Ack(interrupt), seL4_NoError);
        } else if (i == 1) {
            seL4_Send(interrupt, request);
        } else {
            seL4_NBSend(interrupt, request);
        }
    }
    edge_raise();
    CHECK_EQUAL(wait_for_signals(), EDGE_SIGNAL);
    edge_clear();
    microkit_irq_ack(EDGE);
    CHECK_EQUAL(signals(), 0);
}

/* Methods of the interrupt that would replace or remove its notification, and methods that do not exist. */
static void interrupts_have_no_other_method(void)
{
    CHECK_EQUAL(limen_invoke_plain(BASE_IRQ_CAP + EDGE, IRQAckIRQ + 1, 0), seL4_IllegalOperation);
    CHECK_EQUAL(limen_invoke_plain(BASE_IRQ_CAP + EDGE, IRQAckIRQ + 2, 0), seL4_IllegalOperation);
    CHECK_EQUAL(seL4_IRQHandler_Ack(BASE_IRQ_CAP + NOTHING), seL4_InvalidCapability);
    CHECK_EQUAL(seL4_IRQHandler_Ack(BASE_IRQ_CAP + LEVEL), seL4_InvalidCapability);
}

static void only_granted_interrupts_can_be_acknowledged(void)
{
    CHECK_EQUAL(microkit_irqs, EDGE_SIGNAL);
    microkit_irq_ack(NOTHING);
    microkit_irq_ack(LEVEL);
    microkit_irq_ack(LEVEL + 1);
    microkit_deferred_irq_ack(NOTHING);
    CHECK(!microkit_have_signal);
}

void init(void)
{
    edge_start();
    RUN(an_interrupt_before_the_event_loop_is_handled_once);
    RUN(an_interrupt_is_handled_at_once);
    RUN(an_acknowledgement_can_wait_for_the_next_receive);
    RUN(a_level_without_acknowledgement_interrupts_once);
    RUN(a_level_that_stays_interrupts_after_each_acknowledgement);
    RUN(an_acknowledgement_without_an_interrupt_does_nothing);
    RUN(an_edge_interrupts_once);
    RUN(the_next_edge_waits_for_the_acknowledgement);
    RUN(edges_before_the_acknowledgement_are_one_interrupt);
    RUN(a_storm_of_edges_does_not_stop_others);
    RUN(an_unacknowledged_active_line_does_not_stop_others);
    RUN(an_interrupt_is_acknowledged_by_every_way_to_send);
    RUN(interrupts_have_no_other_method);
    RUN(only_granted_interrupts_can_be_acknowledged);
    RUN(a_storm_costs_no_more_than_the_budget_of_its_driver);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
