//! Turns the rings of a traced system into timelines: a Perfetto file, a page, and tables.
//!
//! [`ring`] merges copies of a ring, also those that [`log`](mod@log) finds in a console. [`system`] names threads, interrupts and
//! events of programs, from the image's report and the program files. [`timeline`] follows the records and finds out
//! what each thread did; [`figures`] counts. [`perfetto`], [`page`](mod@page) and [`table`](mod@table) write the result.
//! [`Trace`] is all of it in one step.
//!
//! Rings come from the memory of running or broken machines, and programs choose what they record, so nothing here
//! trusts its input: damaged records are dropped and counted, and time and memory are proportional to the input.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]

mod clock;
pub mod figures;
pub mod log;
pub mod page;
pub mod perfetto;
mod protocol;
pub mod ring;
pub mod system;
pub mod table;
pub mod timeline;
mod trace;
mod words;

pub use ring::{Reader, Recording};
pub use system::System;
pub use timeline::Timeline;
pub use trace::{Trace, program};
