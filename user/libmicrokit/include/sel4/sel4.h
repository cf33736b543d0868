/* The kernel's programming interface. Needs no C library header. */
#ifndef SEL4_SEL4_H
#define SEL4_SEL4_H

#include <autoconf.h>
#include <sel4/types.h>
#include <sel4/rights.h>
#include <sel4/message.h>
#include <sel4/faults.h>
#include <sel4/trap.h>
#include <sel4/syscalls.h>
#include <sel4/invocations.h>
#include <sel4/benchmark.h>

#endif /* SEL4_SEL4_H */
