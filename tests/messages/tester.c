/* Triggers messages of a device, which cannot be masked. */

#include "edu.h"
#include "test.h"

#define MESSAGE 7
#define MESSAGE_SIGNAL (1ul << MESSAGE)
/* The vector of the description as the processor and the device know it. */
#define VECTOR (107 + 48)

/* The signals that are there after longer than a processor may take to notice an interrupt. */
static seL4_Word signals(void)
{
    for (int i = 0; i < 8; i++) {
        seL4_Yield();
    }
    return poll_signals();
}

static void a_message_interrupts_once(void)
{
    edu_send();
    CHECK_EQUAL(wait_for_signals(), MESSAGE_SIGNAL);
    CHECK_EQUAL(signals(), 0);
    microkit_irq_ack(MESSAGE);
    CHECK_EQUAL(signals(), 0);
}

static void messages_before_the_acknowledgement_are_one_interrupt(void)
{
    edu_send();
    CHECK_EQUAL(wait_for_signals(), MESSAGE_SIGNAL);
    for (int i = 0; i < 3; i++) {
        edu_send();
        CHECK_EQUAL(signals(), 0);
    }
    microkit_irq_ack(MESSAGE);
    CHECK_EQUAL(signals(), MESSAGE_SIGNAL);
    microkit_irq_ack(MESSAGE);
    CHECK_EQUAL(signals(), 0);
}

static void each_message_with_its_acknowledgement_arrives(void)
{
    for (int i = 0; i < 100; i++) {
        edu_send();
        CHECK_EQUAL(wait_for_signals(), MESSAGE_SIGNAL);
        microkit_irq_ack(MESSAGE);
    }
    CHECK_EQUAL(signals(), 0);
}

static void a_storm_of_messages_does_not_stop_others(void)
{
    for (int i = 0; i < 10000; i++) {
        edu_send();
    }
    CHECK_EQUAL(signals(), MESSAGE_SIGNAL);
    microkit_irq_ack(MESSAGE);
    CHECK_EQUAL(signals(), MESSAGE_SIGNAL);
    microkit_irq_ack(MESSAGE);
    CHECK_EQUAL(signals(), 0);
}

/* Configures a vector that no program has. */
static void a_message_without_a_receiver_is_harmless(void)
{
    edu_start(VECTOR - 1);
    edu_send();
    CHECK_EQUAL(signals(), 0);
    edu_start(VECTOR);
    edu_send();
    CHECK_EQUAL(signals(), MESSAGE_SIGNAL);
    microkit_irq_ack(MESSAGE);
}

void init(void)
{
    edu_start(VECTOR);
    RUN(a_message_interrupts_once);
    RUN(messages_before_the_acknowledgement_are_one_interrupt);
    RUN(each_message_with_its_acknowledgement_arrives);
    RUN(a_storm_of_messages_does_not_stop_others);
    RUN(a_message_without_a_receiver_is_harmless);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
