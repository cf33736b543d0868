//! Tests of the kernel from the outside: systems boot from an image, and programs trap into the kernel.
//!
//! One file per concept. All invariants are checked after every event, and a failed expectation prints the state.

#![allow(clippy::expect_used, clippy::panic, reason = "a failed expectation ends a test")]

mod boot;
mod caches;
mod calls;
mod chains;
mod coverage;
mod deferred;
mod domain_interrupts;
mod domains;
mod donation;
mod fault_lines;
mod fault_replies;
mod faults;
mod fpu;
mod hostile;
mod ideal;
mod interrupt_model;
mod interrupts;
mod interrupts_off;
mod keys;
mod lookups;
mod model;
mod notification_time;
mod notifications;
mod open_calls;
mod priorities;
mod probes;
mod processors;
mod random;
mod registers;
mod replays;
mod replies;
mod root_slots;
mod sched_contexts;
mod scheduling;
mod sends;
mod services;
mod shares;
mod slices;
mod support;
mod syscalls;
mod threads;
mod time;
mod timeouts;
mod trace;
mod traps;
mod wipes;
