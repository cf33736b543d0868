#include "machine.h"
#include "say.h"

const char counter_name[] = "cycle counter of the performance monitor (pmccntr_el0)";
const char counter_unit[] = "cycles";
const char plain_read[] = "mrs";
const char serialised_read[] = "isb; mrs";

void say_barrier(void)
{
    say("an exception and the return from it are barriers themselves (Arm ARM, context synchronization event)\n");
}

void two_instructions(seL4_Word rounds)
{
    __asm__ volatile ("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}
