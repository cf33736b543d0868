#include "machine.h"
#include "say.h"

const char counter_name[] = "cycle";
const char counter_unit[] = "cycles";
const char plain_read[] = "rdcycle";
const char serialised_read[] = "fence; rdcycle";

void say_barrier(void)
{
    say("to a fence, reading the counter is input; whether a trap is a barrier, the architecture does not say\n");
    say("firmware:    undefined instructions and timer interrupts may pass through it, and their way in then includes it\n");
}

void two_instructions(seL4_Word rounds)
{
    __asm__ volatile ("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(rounds));
}
