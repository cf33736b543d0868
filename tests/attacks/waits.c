/* A program counter written while the culprit blocks in a system call takes effect unchanged: the kernel does not restart
 * the system call. */

#include "architecture.h"
#include "attempt.h"
#include "instructions.h"
#include "neighbours.h"
#include "series.h"
#include "table.h"

#define CHANNEL_TO_CULPRIT 0

/* Waits until the culprit blocks, which its lowest-priority neighbour detects by running. */
static void let_wait(void)
{
    prepare(in_culprit(wait_code));
    set_wait(&registers);
    seL4_TCB_WriteRegisters(CULPRIT_THREAD, seL4_True, 0, LIMEN_CONTEXT_WORDS, &registers);
    ask_neighbours();
}

static void write_program_counter(seL4_Word pc)
{
    seL4_UserContext context = { .PROGRAM_COUNTER = pc };
    seL4_TCB_WriteRegisters(CULPRIT_THREAD, seL4_False, 0, 1, &context);
}

static void expect_written(seL4_Word pc)
{
    if (pc == in_culprit(undefined_code)) {
        expect_exception(pc, UNDEFINED_NUMBER, 0);
    } else {
        expect_memory_fault(pc, pc, 1);
    }
}

static const char *const names[] = { "at an instruction", "at the kernel's first address", "at zero" };

static seL4_Word target(seL4_Word i)
{
    const seL4_Word targets[] = { in_culprit(undefined_code), FIRST_UPPER_ADDRESS, 0 };
    return targets[i];
}

void a_program_counter_written_during_a_wait_is_where_it_resumes(void)
{
    for (seL4_Word i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        begin(names[i], target(i));
        let_wait();
        write_program_counter(target(i));
        seL4_TCB_Resume(CULPRIT_THREAD);
        await();
        expect_written(target(i));
    }
    end_series("resumed_waits");
}

void a_program_counter_written_during_a_wait_is_where_a_signal_leads(void)
{
    for (seL4_Word i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        begin(names[i], target(i));
        let_wait();
        write_program_counter(target(i));
        microkit_notify(CHANNEL_TO_CULPRIT);
        await();
        expect_written(target(i));
    }
    end_series("signalled_waits");
}
