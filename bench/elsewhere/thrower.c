/* A child that repeatedly executes an undefined instruction. Its parent is on another processor.
 *
 * elsewhere_fault: between the two reads lie the undefined instruction, the way of the fault to the parent, its event loop and
 * `fault`, and the way back. */

#include "instructions.h"
#include "samples.h"

static struct samples samples;

void init(void)
{
}

void notified(microkit_channel ch)
{
    seL4_Word before, after;
    (void)ch;
    samples_start(&samples);
    do {
        before = limen_counter();
        __asm__ volatile (UNDEFINED_INSTRUCTION : : : "memory");
        after = limen_counter();
    } while (samples_add(&samples, after - before));
    samples_print(&samples, "elsewhere_fault part=together" ROW_FPU);
    bench_done();
}
