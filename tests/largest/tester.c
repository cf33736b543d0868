/* Runs when all other programs wait, and receives a signal from each. */

#include "test.h"

#define UART_CHANNEL 30

static void every_program_has_signalled(void)
{
    seL4_Word all = (1ul << MICROKIT_MAX_CHANNELS) - 1;
    CHECK_EQUAL(poll_signals(), all & ~(1ul << UART_CHANNEL));
}

static void every_channel_may_be_signalled(void)
{
    CHECK_EQUAL(microkit_notifications, (1ul << MICROKIT_MAX_CHANNELS) - 1);
    CHECK_EQUAL(microkit_pps, 1ul << UART_CHANNEL);
}

void init(void)
{
    RUN(every_program_has_signalled);
    RUN(every_channel_may_be_signalled);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
