/* Computes whenever the observer sleeps, until its slot ends. Starts the clock in the middle of the first slot. */

#include <microkit.h>

#define CLOCK 0
/* An eighth of the slot, in an emulator that counts an instruction as a nanosecond. */
#define INSTRUCTIONS_TO_THE_MIDDLE 100000

static void spin(seL4_Word rounds)
{
    for (seL4_Word round = 0; round < rounds; round++) {
        __asm__ volatile ("" : "+r"(round));
    }
}

void init(void)
{
    spin(INSTRUCTIONS_TO_THE_MIDDLE / 4);
    microkit_notify(CLOCK);
    for (;;) {
        spin(1000);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
