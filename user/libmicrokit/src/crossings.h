/* Probe crossings in assembly, made of parts that each port defines.
 *
 * All crossings have the same instructions except for the event, so limen_cross_nothing measures their own cost.
 * Before it includes this file, a port defines the macros `begin`, `stamp` and `end`, the latter two with the barrier as
 * argument, and macros for the instructions BARRIER, JUMP and each event.
 *
 * `user/limen/src/probe.rs` assembles the same files without a preprocessor and treats the line that includes this one as
 * a comment. */

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
