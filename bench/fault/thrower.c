/* A child that repeatedly executes an undefined instruction. Its parent resumes it after the instruction.
 *
 * fault_rt kind=exception: between the two reads lie the undefined instruction; the fault's delivery to the parent, the
 * parent's event loop and `fault`, which adds 4 to the address of the instruction; the reply; and the kernel exit. */

#include "instructions.h"
#include "samples.h"

static struct samples samples;

static seL4_Word throw_once(void)
{
    seL4_Word before = limen_counter();
    __asm__ volatile (UNDEFINED_INSTRUCTION : : : "memory");
    seL4_Word after = limen_counter();
    return after - before;
}

void init(void)
{
    samples_start(&samples);
    while (samples_add(&samples, throw_once())) {
    }
    samples_print(&samples, microkit_name[0] == 'a' ? "fault_rt kind=exception parent=active" ROW_FPU
                                                     : "fault_rt kind=exception parent=passive" ROW_FPU);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
