/* A child that repeatedly executes an undefined instruction. Its parent resumes it after the instruction.
 *
 * fault_rt kind=exception: between the two reads lie the undefined instruction; the fault's delivery to the parent, the
 * parent's event loop and `fault`, which adds 4 to the address of the instruction; the reply; and the kernel exit. Where the
 * firmware receives these exceptions first, instruction=all_ones is the same with one on which it spends less time. */

#include "instructions.h"
#include "samples.h"

static struct samples samples;

#define MEASURE(instruction, more)                                                                                  \
    do {                                                                                                           \
        seL4_Word before, after;                                                                                   \
        samples_start(&samples);                                                                                   \
        do {                                                                                                       \
            before = limen_counter();                                                                              \
            __asm__ volatile (instruction : : : "memory");                                                         \
            after = limen_counter();                                                                               \
        } while (samples_add(&samples, after - before));                                                           \
        samples_print(&samples, microkit_name[0] == 'a' ? "fault_rt kind=exception parent=active" more ROW_FPU     \
                                                         : "fault_rt kind=exception parent=passive" more ROW_FPU); \
    } while (0)

void init(void)
{
    MEASURE(UNDEFINED_INSTRUCTION, "");
#if defined(UNDEFINED_INSTRUCTION_ALL_ONES) && !defined(TRACED)
    MEASURE(UNDEFINED_INSTRUCTION_ALL_ONES, " instruction=all_ones");
#endif
}

void notified(microkit_channel ch)
{
    (void)ch;
}
