/* Describes the cause of a trap in words.
 *
 * Source: The RISC-V Instruction Set Manual, Volume II: scause. */

#include "monitor.h"

static const char *const causes[] = {
    [0] = "Instruction address misaligned",
    [1] = "Instruction access fault",
    [2] = "Illegal instruction",
    [3] = "Breakpoint",
    [4] = "Load address misaligned",
    [5] = "Load access fault",
    [6] = "Store or atomic address misaligned",
    [7] = "Store or atomic access fault",
    [8] = "System call from user mode",
    [12] = "Instruction page fault",
    [13] = "Load page fault",
    [15] = "Store or atomic page fault",
};

static void describe(seL4_Word cause)
{
    seL4_Bool known = cause < sizeof(causes) / sizeof(causes[0]) && causes[cause];
    microkit_dbg_puts("MON|ERROR: description of fault: ");
    microkit_dbg_puts(known ? causes[cause] : "reserved");
    microkit_dbg_puts("\n");
}

void describe_vm_fault(seL4_Word status)
{
    describe(status);
}

void describe_exception(seL4_Word number)
{
    describe(number);
}
