//! The image builder: turns a system description and program files into a boot image and a report.
//!
//! | step | module |
//! |---|---|
//! | facts about the machine, the configuration, the SDK | [`board`], [`board_file`], [`config`], [`sdk`] |
//! | ELF files | [`elf`], [`program`] (made of [`segment`]s), [`system_file`] (kernel and loader) |
//! | prefill files | [`files`] |
//! | symbols that receive values | [`patch`] |
//! | address spaces and physical memory | [`address_plan`], [`address_space`], [`memory`], [`place`] |
//! | kernel objects and capabilities | [`objects`], [`interrupts`], [`capabilities`] |
//! | connections across scheduling domains | [`sharing`] |
//! | who can affect whom, and why | [`authority`] |
//! | the boot image and the output file | [`image`], [`payload`], [`uimage`], [`image_type`] |
//! | the ring of the trace, and its keys | [`trace`] |
//! | all steps in order | [`parts`], [`build`] |
//! | the report, for people and for tools | [`report`] |
//!
//! Every error is a [`limen_sdf::Diagnostic`]; this crate never prints, exits or writes files. The image depends only
//! on the inputs: building twice gives the same bytes.

#![forbid(unsafe_code)]

pub mod address_plan;
pub mod address_space;
pub mod authority;
pub mod board;
pub mod board_file;
mod board_rules;
pub mod build;
pub mod capabilities;
pub mod code;
pub mod config;
pub mod elf;
mod error;
pub mod files;
mod fixed_place;
mod free_memory;
pub mod image;
pub mod image_type;
#[cfg(test)]
mod integrity;
pub mod interrupts;
pub mod key_sites;
mod map_warnings;
pub mod memory;
mod needed_ram;
pub mod objects;
pub mod parts;
pub mod patch;
pub mod payload;
pub mod place;
mod prefill;
pub mod program;
pub mod report;
mod schedule;
pub mod sdk;
pub mod segment;
mod services;
pub mod sharing;
mod stack_views;
#[path = "../../../kernel/core/tests/kernel/support/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    clippy::expect_used,
    clippy::panic,
    reason = "shared with the kernel's tests"
)]
#[cfg(test)]
mod support;
mod symbol_file;
pub mod system_file;
#[cfg(test)]
mod test_elf;
#[cfg(test)]
mod test_system;
pub mod trace;
pub mod uimage;

pub use board::Board;
pub use build::Built;
pub use config::Config;
pub use image_type::ImageType;
pub use parts::Parts;
pub use program::Program;
pub use report::Report;
pub use sdk::Sdk;
