#include "machine.h"
#include "device_tree.h"
#include "say.h"

const char counter_name[] = "cycle counter of the performance monitor (pmccntr_el0)";
const char counter_unit[] = "cycles";
const char plain_read[] = "mrs";
const char serialised_read[] = "isb; mrs";

/* Programs cannot read the identification registers, and no instruction shows a hypervisor or an emulator,
 * but the device tree may name the machine. */
void say_processor(void)
{
    const char *model = device_tree_model();
    say("unknown");
    if (model) {
        say(", in ");
        say(model);
    }
}

void say_platform(void)
{
    say("unknown");
}

void say_barrier(void)
{
    say("an exception and the return from it are barriers themselves (Arm ARM, context synchronization event)\n");
}

void two_instructions(seL4_Word rounds)
{
    __asm__ volatile ("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}
