//! The kernel's behaviour, as a specification that runs.
//!
//! A [`System`] is the state of a machine with Limen as its programs can observe it. [`System::handle`] says what an
//! [`Event`] makes of it. There are no fast paths, no queues within objects and no ids that are masked: objects are
//! elements of vectors, and a thread that waits is in a list in the order in which the list is served.
//!
//! The specification follows `docs/kernel.md`, `docs/time.md`, `docs/fpu.md`, `docs/keys.md`,
//! `docs/services.md`, `docs/crossings.md` and `docs/interrupts.md`. The kernel's core is held against it after every event:
//! see `docs/specification.md`.
//!
//! | module | subject |
//! |---|---|
//! | [`state`] | threads and objects |
//! | [`capability`] | pointers and capabilities |
//! | [`registers`] | registers and messages |
//! | [`event`] | system calls and the other events |
//! | [`endpoint`] | sending and receiving messages |
//! | [`notification`] | signals and interrupts |
//! | [`reply`] | calls, replies and the time that calls lend |
//! | [`fault`] | faults, and the replies to them |
//! | [`method`] | methods of objects |
//! | [`schedule`] | the thread that runs, and domains |
//! | [`time`] | scheduling contexts and slices |
//! | [`share`] | shares |
//! | [`key`] | static keys |
//! | [`fpu`] | the floating-point registers: their owner, and policies |
//! | [`hardware`] | I/O ports, caches, the secure monitor, and output |
//! | [`trace`] | the kernel's keys, and records of programs |
//! | [`probe`] | probes: samples of events, and stamps of returns |
#![forbid(unsafe_code)]

pub mod capability;
pub mod endpoint;
pub mod event;
pub mod fault;
pub mod fpu;
pub mod hardware;
pub mod key;
pub mod method;
pub mod notification;
pub mod probe;
pub mod registers;
pub mod reply;
pub mod schedule;
pub mod share;
pub mod state;
pub mod time;
pub mod trace;

pub use capability::{Cap, Caps, Rights};
pub use event::Event;
pub use fault::Fault;
pub use state::System;
