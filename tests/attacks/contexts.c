/* Registers that a parent writes: no value gives the culprit a privilege. */

#include "architecture.h"
#include "attempt.h"
#include "instructions.h"
#include "neighbours.h"
#include "series.h"
#include "table.h"

static const seL4_Word addresses[] = {
    0, 1, 2, 3, NOWHERE, NOWHERE + 1, NOWHERE + 2, NOWHERE + 3, seL4_UserVSpaceTop + 1,
    KERNEL_ADDRESSES, NOBODYS_ADDRESSES, ~0ul, ~1ul, ~3ul, 1ul << 63, 1ul << 62, 1ul << 39, 1ul << 38, 1ul << 47,
    0xffff800000000000ul, 0xffff800000000001ul, 0x7fffffffffffful,
};

#define ADDRESSES (sizeof(addresses) / sizeof(addresses[0]))

/* A misaligned address may be reported as misaligned or, by emulators, as unmapped. */
void any_program_counter_may_be_written(void)
{
    for (seL4_Word i = 0; i < ADDRESSES; i++) {
        begin("program counter", addresses[i]);
        prepare(addresses[i]);
        attempt();
        seL4_Word pc = taken_program_counter(addresses[i]);
        if (report.label == seL4_Fault_UserException && is_misaligned(pc)) {
            expect_exception(pc, MISALIGNED_NUMBER, 0);
        } else {
            expect_memory_fault(pc, pc, 1);
        }
        expect_registers(pc);
        ask_neighbours();
    }
    end_series("program_counters");
}

/* An access through it is checked like any other, but some misaligned addresses are not translated. */
void any_stack_pointer_may_be_written(void)
{
    for (seL4_Word i = 0; i < ADDRESSES; i++) {
        seL4_Word pc = in_culprit(stack_code);
        begin("stack pointer", addresses[i]);
        prepare(pc);
        registers.STACK_POINTER = addresses[i];
        attempt();
        if (report.label == seL4_Fault_UserException && is_bad_stack(addresses[i])) {
            expect_exception(pc, bad_stack_number(report.words[seL4_UserException_Number]), 0);
        } else {
            expect_memory_fault(pc, addresses[i], 0);
        }
        expect_registers(pc);
        ask_neighbours();
    }
    end_series("stack_pointers");
}

/* Kernel and unmapped addresses are valid values, too. */
void traps_do_not_use_the_stack(void)
{
    for (seL4_Word i = 0; i < ADDRESSES; i++) {
        begin("exception with stack pointer", addresses[i]);
        prepare(in_culprit(undefined_code));
        registers.STACK_POINTER = addresses[i];
        attempt();
        expect_exception(in_culprit(undefined_code), UNDEFINED_NUMBER, 0);
        expect("the stack pointer", report.words[seL4_UserException_SP], addresses[i]);
        begin("system call with stack pointer", addresses[i]);
        prepare(in_culprit(unknown_call_code));
        registers.STACK_POINTER = addresses[i];
        set_system_call(&registers, -1000ul);
        attempt();
        expect_system_call(in_culprit(unknown_call_code), -1000ul);
        expect("the stack pointer", report.words[seL4_UnknownSyscall_SP], addresses[i]);
        expect_registers(in_culprit(unknown_call_code));
        ask_neighbours();
    }
    end_series("traps");
}
