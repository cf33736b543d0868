/* Drives two counters of a triple timer: one overflows, the other interrupts after an interval. Reading the status of a
 * counter clears it, so a driver that finds it complete was the first to read it. Source: UG1087, TTC.
 *
 * The emulator sets the status bits of matches although match mode is off; hardware does not. Only where no match lies in
 * the interval can the status be compared as a whole. */

#include "test.h"

/* The counters; their interrupts have consecutive ids. */
enum counter {
    CLOCK,
    TIMEOUT,
};
#define ID(counter) (5 + (counter))
#define SIGNAL(counter) (1ul << ID(counter))

/* Registers of the first counter, as word offsets; the same registers of the other counters follow each. */
enum timer_register {
    CLOCK_CONTROL = 0x00 / 4,
    CONTROL = 0x0c / 4,
    VALUE = 0x18 / 4,
    INTERVAL = 0x24 / 4,
    MATCH = 0x30 / 4,
    STATUS = 0x54 / 4,
    ENABLE = 0x60 / 4,
};
#define MATCHES 3
#define COUNTERS 3

/* A quarter of the device's clock. */
#define CLOCK_DIVIDED ((1u << 1) | 1u)
#define CONTROL_STOP (1u << 0)
#define CONTROL_INTERVAL (1u << 1)
#define CONTROL_RESTART (1u << 4)
#define STATUS_INTERVAL (1u << 0)
#define STATUS_MATCHES (7u << 1)
#define STATUS_OVERFLOW (1u << 4)

/* Ticks of a timeout. The emulated counters have 16 bits, the real ones 32. */
#define TICKS 20000u
#define BEYOND_TICKS 0xffffu

/* Where the registers are mapped; the tool sets it. */
seL4_Word timer_base;

static volatile seL4_Uint32 *at(enum counter counter, enum timer_register offset)
{
    return (volatile seL4_Uint32 *)timer_base + offset + counter;
}

/* Returns the signals that are pending after longer than a processor may take to notice an interrupt. */
static seL4_Word signals(void)
{
    for (int i = 0; i < 8; i++) {
        seL4_Yield();
    }
    return poll_signals();
}

static void acknowledge(enum counter counter)
{
    microkit_irq_ack(ID(counter));
}

static void stop(enum counter counter)
{
    *at(counter, CONTROL) |= CONTROL_STOP;
}

/* Leaves a counter stopped at zero, with the same value in all match registers and one event that interrupts. */
static void reset(enum counter counter, seL4_Uint32 matches, seL4_Uint32 event)
{
    stop(counter);
    *at(counter, CONTROL) = CONTROL_STOP | CONTROL_RESTART;
    *at(counter, CLOCK_CONTROL) = CLOCK_DIVIDED;
    *at(counter, INTERVAL) = TICKS;
    for (int i = 0; i < MATCHES; i++) {
        *(at(counter, MATCH) + i * COUNTERS) = matches;
    }
    (void)*at(counter, STATUS);
    *at(counter, ENABLE) = event;
}

static void start_timeout(seL4_Uint32 matches)
{
    reset(TIMEOUT, matches, STATUS_INTERVAL);
    *at(TIMEOUT, CONTROL) = CONTROL_INTERVAL | CONTROL_RESTART;
}

static void the_status_has_the_interval_when_its_interrupt_comes(void)
{
    start_timeout(0);
    CHECK_EQUAL(wait_for_signals(), SIGNAL(TIMEOUT));
    stop(TIMEOUT);
    CHECK_EQUAL(*at(TIMEOUT, STATUS) & ~STATUS_MATCHES, STATUS_INTERVAL);
    CHECK_EQUAL(*at(TIMEOUT, STATUS), 0);
    acknowledge(TIMEOUT);
    CHECK_EQUAL(signals(), 0);
}

static void without_a_match_in_the_interval_the_status_has_nothing_else(void)
{
    for (int i = 0; i < 100; i++) {
        start_timeout(BEYOND_TICKS);
        CHECK_EQUAL(wait_for_signals(), SIGNAL(TIMEOUT));
        stop(TIMEOUT);
        CHECK_EQUAL(*at(TIMEOUT, STATUS), STATUS_INTERVAL);
        acknowledge(TIMEOUT);
    }
    CHECK_EQUAL(signals(), 0);
}

static void an_unread_status_interrupts_again(void)
{
    start_timeout(BEYOND_TICKS);
    CHECK_EQUAL(wait_for_signals(), SIGNAL(TIMEOUT));
    stop(TIMEOUT);
    CHECK_EQUAL(signals(), 0);
    acknowledge(TIMEOUT);
    CHECK_EQUAL(signals(), SIGNAL(TIMEOUT));
    CHECK_EQUAL(*at(TIMEOUT, STATUS), STATUS_INTERVAL);
    acknowledge(TIMEOUT);
    CHECK_EQUAL(signals(), 0);
}

static void an_overflow_is_the_interrupt_of_its_own_counter(void)
{
    reset(CLOCK, BEYOND_TICKS, STATUS_OVERFLOW);
    *at(CLOCK, CONTROL) = CONTROL_RESTART;
    CHECK_EQUAL(wait_for_signals(), SIGNAL(CLOCK));
    stop(CLOCK);
    CHECK_EQUAL(*at(TIMEOUT, STATUS), 0);
    CHECK_EQUAL(*at(CLOCK, STATUS) & ~STATUS_MATCHES, STATUS_OVERFLOW);
    acknowledge(CLOCK);
    CHECK_EQUAL(signals(), 0);
}

static void a_stopped_counter_keeps_its_value(void)
{
    start_timeout(BEYOND_TICKS);
    CHECK_EQUAL(wait_for_signals(), SIGNAL(TIMEOUT));
    stop(TIMEOUT);
    seL4_Uint32 value = *at(TIMEOUT, VALUE);
    (void)*at(TIMEOUT, STATUS);
    acknowledge(TIMEOUT);
    CHECK_EQUAL(signals(), 0);
    CHECK_EQUAL(*at(TIMEOUT, VALUE), value);
}

void init(void)
{
    RUN(the_status_has_the_interval_when_its_interrupt_comes);
    RUN(without_a_match_in_the_interval_the_status_has_nothing_else);
    RUN(an_unread_status_interrupts_again);
    RUN(an_overflow_is_the_interrupt_of_its_own_counter);
    RUN(a_stopped_counter_keeps_its_value);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
