/* Shared by both parents: the entry point of programs, and descriptions of faults. */
#ifndef HIERARCHY_REPORT_H
#define HIERARCHY_REPORT_H

#include <microkit.h>

/* The entry point of every program is the first byte of its image. */
#define ENTRY_POINT 0x200000

/* Prints a child's fault on the debug console. */
static inline void report_fault(const char *who, microkit_msginfo fault)
{
    microkit_dbg_puts(who);
    switch (microkit_msginfo_get_label(fault)) {
    case seL4_Fault_VMFault:
        microkit_dbg_puts(seL4_GetMR(seL4_VMFault_PrefetchFault) ? " tried to execute at address "
                                                                 : " tried to access address ");
        microkit_dbg_put32((seL4_Uint32)seL4_GetMR(seL4_VMFault_Addr));
        break;
    case seL4_Fault_UserException:
        microkit_dbg_puts(" executed an instruction that traps");
        break;
    default:
        microkit_dbg_puts(" had an unexpected fault");
        break;
    }
    microkit_dbg_puts("\n");
}

#endif
