/* Crossings with one value in every register that can have it, the stack pointer among them. */
#ifndef PROBE_GARBAGE_H
#define PROBE_GARBAGE_H

#include <sel4/sel4.h>

/* They do not come back: without a probe they are faults. */
void garbage_page_fault(seL4_Word value, seL4_Word address);
void garbage_undefined(seL4_Word value);
void garbage_breakpoint(seL4_Word value);

/* A system call that changes no register. Zero if the registers of stamps have not changed. */
seL4_Word garbage_syscall(seL4_Word value, seL4_Int64 number);
void garbage_syscall_end(void);

/* An undefined instruction, for a program that probes it: it continues at the second. Zero as above. */
seL4_Word garbage_probed(seL4_Word value, seL4_Int64 number);
void garbage_probed_end(void);

#endif /* PROBE_GARBAGE_H */
