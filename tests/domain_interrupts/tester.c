/* Triggers devices whose driver is in another domain, counts its own instructions meanwhile, and checks the interrupts that
 * the driver received, and when. */

#include <limen.h>

#include "edge.h"
#include "level.h"
#include "log.h"
#include "pulse.h"
#include "test.h"

/* Set by the tool. */
seL4_Word log;

/* A gap of this many instructions can only be another domain's slot. */
#define JUMP 100000ul
/* Rounds of the measured loop: longer than an interrupt takes to be noticed, shorter than a slot. */
#define ROUNDS 20000

/* The begin and end of the last slot of the driver's domain, as observed by this program. */
static seL4_Word slot_begin, slot_end;

static volatile struct log *seen(void)
{
    return (volatile struct log *)log;
}

/* Waits until a slot of the driver's domain has passed. */
static void pass_slot(void)
{
    do {
        slot_begin = slot_end;
        slot_end = limen_counter();
    } while (slot_end - slot_begin < JUMP);
}

/* One of the devices. */
struct device {
    void (*raise)(void);
    void (*clear)(void);
    /* Its interrupt at the driver, and by which the driver acknowledges it. */
    microkit_channel interrupt, acknowledge;
};

static const struct device level = { level_raise, level_clear, LEVEL, ACKNOWLEDGE_LEVEL };
static const struct device edge = { edge_raise, edge_clear, EDGE, ACKNOWLEDGE_EDGE };

static seL4_Word told(const struct device *device)
{
    return seen()->count[device->interrupt];
}

/* The driver acknowledges, in its next slot. */
static void acknowledge(const struct device *device)
{
    microkit_notify(device->acknowledge);
    pass_slot();
}

/* Triggers a device at the start of a slot. Returns the instructions of this and of a fixed piece of work. Not inlined,
 * because copies in the callers might take different numbers of instructions. */
static __attribute__((noinline)) seL4_Word work_with(const struct device *device)
{
    pass_slot();
    seL4_Word before = limen_counter();
    device->raise();
    for (int round = 0; round < ROUNDS; round++) {
        __asm__ volatile ("" : : : "memory");
    }
    return limen_counter() - before;
}

/* The same while the interrupt is masked, because the driver has not acknowledged the previous one. */
static seL4_Word work_alone(const struct device *device)
{
    for (int i = 0; i < 2; i++) {
        work_with(device);
        pass_slot();
        device->clear();
    }
    seL4_Word instructions = work_with(device);
    device->clear();
    acknowledge(device);
    acknowledge(device);
    return instructions;
}

static void edge_pulse(void)
{
    edge_raise();
    edge_clear();
}

/* Checks an interrupt in a slot of this domain: it had no effect here, and the driver received it once, in its own slot. */
static void check_told_in_the_next_slot(const struct device *device, seL4_Word before)
{
    CHECK_EQUAL(told(device), before);
    pass_slot();
    CHECK_EQUAL(told(device), before + 1);
    CHECK(slot_begin < seen()->time && seen()->time < slot_end);
}

static void an_interrupt_costs_another_slot_nothing(const struct device *device)
{
    seL4_Word alone = work_alone(device), before = told(device);
    CHECK_EQUAL(work_with(device), alone);
    check_told_in_the_next_slot(device, before);
    device->clear();
    acknowledge(device);
    CHECK_EQUAL(told(device), before + 1);
    CHECK_EQUAL(work_alone(device), alone);
}

static void a_level_costs_the_slot_of_another_domain_nothing(void)
{
    an_interrupt_costs_another_slot_nothing(&level);
}

static void an_edge_costs_the_slot_of_another_domain_nothing(void)
{
    an_interrupt_costs_another_slot_nothing(&edge);
}

static void edges_in_the_slot_of_another_domain_are_one_interrupt(void)
{
    seL4_Word before = told(&edge);
    pass_slot();
    edge_pulse();
    edge_pulse();
    edge_raise();
    check_told_in_the_next_slot(&edge, before);
    edge_clear();
    acknowledge(&edge);
    CHECK_EQUAL(told(&edge), before + 1);
}

static void an_edge_that_is_over_before_its_slot_is_kept_by_some_controllers(void)
{
    seL4_Word before = told(&edge);
    pass_slot();
    edge_pulse();
    pass_slot();
    CHECK_EQUAL(told(&edge), before + PULSES_ARE_KEPT);
    acknowledge(&edge);
    CHECK_EQUAL(told(&edge), before + PULSES_ARE_KEPT);
}

static void an_interrupt_waits_for_its_acknowledgement_over_many_slots(const struct device *device)
{
    seL4_Word before = told(device);
    work_with(device);
    check_told_in_the_next_slot(device, before);
    device->clear();
    work_with(device);
    pass_slot();
    pass_slot();
    CHECK_EQUAL(told(device), before + 1);
    acknowledge(device);
    CHECK_EQUAL(told(device), before + 2);
    device->clear();
    acknowledge(device);
    CHECK_EQUAL(told(device), before + 2);
}

static void a_level_waits_for_its_acknowledgement_over_many_slots(void)
{
    an_interrupt_waits_for_its_acknowledgement_over_many_slots(&level);
}

static void an_edge_waits_for_its_acknowledgement_over_many_slots(void)
{
    an_interrupt_waits_for_its_acknowledgement_over_many_slots(&edge);
}

void init(void)
{
    level_start();
    edge_start();
    slot_end = limen_counter();
    RUN(a_level_costs_the_slot_of_another_domain_nothing);
    RUN(an_edge_costs_the_slot_of_another_domain_nothing);
    RUN(edges_in_the_slot_of_another_domain_are_one_interrupt);
    RUN(an_edge_that_is_over_before_its_slot_is_kept_by_some_controllers);
    RUN(a_level_waits_for_its_acknowledgement_over_many_slots);
    RUN(an_edge_waits_for_its_acknowledgement_over_many_slots);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
