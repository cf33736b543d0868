/* Crossings of probes, of which ports have the parts: assembly.
 *
 * All have the same instructions but for the event, so that what they take without it is what limen_cross_nothing takes.
 * A port defines before it includes this: the macros `begin`, `stamp` and `end`, the latter two with the barrier as their
 * argument, and as macros the instruction BARRIER, the instruction JUMP, and the instruction of each event.
 *
 * `user/limen/src/probe.rs` assembles the same files without a preprocessor, for which the line that includes this is a
 * comment. */

.macro crossing name, barrier, event:vararg
.global limen_cross_\name
limen_cross_\name:
    begin
    stamp   \barrier
    \event
.global limen_crossed_\name
limen_crossed_\name:
    end     \barrier
.endm

.macro looping name, barrier
.global limen_cross_\name
limen_cross_\name:
    begin
.global limen_crossing_\name
limen_crossing_\name:
    stamp   \barrier
    JUMP    limen_crossing_\name
.global limen_crossed_\name
limen_crossed_\name:
    end     \barrier
.endm

.macro crossings name, event:vararg
    crossing \name, , \event
    crossing \name\()_serialised, BARRIER, \event
.endm

.text
crossings nothing, READ_WHERE_THE_KERNEL_DOES
crossings page_fault, PAGE_FAULT
crossings undefined, UNDEFINED
crossings breakpoint, BREAKPOINT
crossings syscall, SYSTEM_CALL
looping interrupt
looping interrupt_serialised, BARRIER
