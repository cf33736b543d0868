/* Describes exception vectors and error codes in words.
 *
 * Source: Intel SDM, volume 3, section 6.3 and figure 4-12. */

#include "monitor.h"

#define PAGE_FAULT_PRESENT (1ul << 0)
#define PAGE_FAULT_WRITE (1ul << 1)
#define PAGE_FAULT_FETCH (1ul << 4)

static const char *const exceptions[] = {
    "divide error",
    "debug exception",
    "non-maskable interrupt",
    "breakpoint",
    "overflow",
    "bound range exceeded",
    "invalid opcode",
    "device not available",
    "double fault",
    "coprocessor segment overrun",
    "invalid task state segment",
    "segment not present",
    "stack-segment fault",
    "general protection fault",
    "page fault",
    "reserved",
    "x87 floating-point error",
    "alignment check",
    "machine check",
    "SIMD floating-point exception",
};

static void describe(const char *text, const char *more)
{
    microkit_dbg_puts("MON|ERROR: description of fault: ");
    microkit_dbg_puts(text);
    microkit_dbg_puts(more);
    microkit_dbg_puts("\n");
}

void describe_vm_fault(seL4_Word status)
{
    const char *access = status & PAGE_FAULT_FETCH ? "instruction fetch" : status & PAGE_FAULT_WRITE ? "write" : "read";
    describe(access, status & PAGE_FAULT_PRESENT ? " without permission" : " where nothing is mapped");
}

void describe_exception(seL4_Word number)
{
    int is_known = number < sizeof(exceptions) / sizeof(exceptions[0]);
    describe(is_known ? exceptions[number] : "reserved", "");
}
