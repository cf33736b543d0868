/* Resumes children that fault.
 *
 * fault_rt kind=vm: the first read is the last operation of `fault`, the second nearly the first of the next `fault`.
 * Between them lie the parent's reply and receive, the child's return to its load, the fault's delivery, and the parent's
 * event loop. The parent's work in `fault` is not counted. */

#include "bad_address.h"
#include "samples.h"

#define THROWER 0

static struct samples samples;
static seL4_Word before;

/* The address after the instruction. */
static seL4_Bool skip(microkit_msginfo message, microkit_msginfo *answer)
{
    if (microkit_msginfo_get_label(message) != seL4_Fault_UserException) {
        return seL4_False;
    }
    microkit_mr_set(seL4_UserException_FaultIP, microkit_mr_get(seL4_UserException_FaultIP) + 4);
    *answer = microkit_msginfo_new(0, 1);
    return seL4_True;
}

static void finish(void)
{
    samples_print(&samples, microkit_name[0] == 'a' ? "fault_rt kind=vm parent=active" ROW_FPU
                                                     : "fault_rt kind=vm parent=passive" ROW_FPU);
}

/* The child tries again until there are enough samples, then stays stopped. */
static seL4_Bool retry(microkit_msginfo message, seL4_Word sample)
{
    seL4_Word address = microkit_mr_get(seL4_VMFault_Addr);
    bench_check(microkit_msginfo_get_label(message) == seL4_Fault_VMFault && address == BAD_ADDRESS,
                "a child faulted in another way than it should");
    if (samples_add(&samples, sample)) {
        return seL4_True;
    }
    finish();
    return seL4_False;
}

void init(void)
{
    samples_start(&samples);
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    if (child == THROWER) {
        return skip(message, answer);
    }
    seL4_Word after = limen_counter();
    seL4_Bool again = retry(message, after - before);
    *answer = microkit_msginfo_new(0, 0);
    before = limen_counter();
    return again;
}
