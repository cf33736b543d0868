/* Uses everything that its configuration names: a driver to call, shared memory, channels. */

#include "config.h"
#include "test.h"

FILLED_IN(".timer_client_config") struct timer_client timer;
FILLED_IN(".serial_client_config") struct serial_client serial;

static const struct region *const regions[] = {
    &serial.receive.queue, &serial.receive.data, &serial.transmit.queue, &serial.transmit.data
};
#define REGIONS 4

/* The first or the last word of a region. */
static volatile seL4_Word *word(const struct region *region, int is_last)
{
    return (volatile seL4_Word *)(region->vaddr + (is_last ? region->size - sizeof(seL4_Word) : 0));
}

static void programs_have_their_configuration(void)
{
    CHECK(is_kind(timer.magic, KIND_TIMER));
    CHECK(is_kind(serial.magic, KIND_SERIAL));
}

static void a_driver_answers_its_client(void)
{
    microkit_msginfo answer = microkit_ppcall(timer.id, microkit_msginfo_new(4, 0));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), 5);
    CHECK_EQUAL(wait_for_signals(), 1ul << timer.id);
}

static void each_interrupt_is_one_signal(void)
{
    for (int i = 0; i < 100; i++) {
        microkit_ppcall(timer.id, microkit_msginfo_new(0, 0));
        CHECK_EQUAL(wait_for_signals(), 1ul << timer.id);
    }
    CHECK_EQUAL(poll_signals(), 0);
}

static void regions_are_whole_and_apart(void)
{
    for (int i = 0; i < REGIONS; i++) {
        CHECK(regions[i]->size >= 0x1000);
        *word(regions[i], 0) = 2 * (seL4_Word)i + 1;
        *word(regions[i], 1) = 2 * (seL4_Word)i + 2;
    }
    for (int i = 0; i < REGIONS; i++) {
        CHECK_EQUAL(*word(regions[i], 0), 2 * (seL4_Word)i + 1);
        CHECK_EQUAL(*word(regions[i], 1), 2 * (seL4_Word)i + 2);
    }
}

static void channels_lead_to_their_components(void)
{
    CHECK(serial.receive.id != serial.transmit.id);
    microkit_notify(serial.receive.id);
    CHECK_EQUAL(wait_for_signals(), 1ul << serial.receive.id);
    microkit_notify(serial.transmit.id);
    CHECK_EQUAL(wait_for_signals(), 1ul << serial.transmit.id);
}

void init(void)
{
    RUN(programs_have_their_configuration);
    RUN(a_driver_answers_its_client);
    RUN(each_interrupt_is_one_signal);
    RUN(regions_are_whole_and_apart);
    RUN(channels_lead_to_their_components);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
