//! `./x test`: host tests, on-target suites, and tests of the finished SDK.

mod boot_case;
mod boots;
mod busy;
mod changes;
mod command;
pub mod cothreads;
mod coverage;
mod debugger;
mod docs;
mod gdb;
mod host_coverage;
mod host_tests;
mod injection;
mod jobs;
pub mod large;
mod load;
mod options;
pub mod orders;
mod perfetto;
mod plan;
mod quick;
mod random;
mod record;
mod replay;
mod screen;
mod sdk_tests;
mod selection;
pub mod suite;
mod tally;
mod traces;
mod worlds;

pub use command::COMMAND;
