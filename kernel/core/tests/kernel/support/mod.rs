//! Test support: a machine of plain data, and systems that boot from a real image.

mod context;
pub(crate) mod controller;
mod document;
mod dump;
mod expect;
mod family;
mod machine;
mod plan;
mod processors;
mod recording;
mod reference;
mod seed;
mod service;
mod snapshot;
mod syscalls;
mod system;
mod twins;
mod verify;

pub(crate) use context::{LR, PC, SP, SPSR, STAMP, SYSCALL_BYTES, TLS_BASE, TestContext, X0};
pub(crate) use controller::{LineState, Wiring};
pub(crate) use document::assert_documented;
pub(crate) use family::Family;
pub(crate) use machine::{
    Clock, HostMachine, PRESERVED, PRESERVED_VALUE, READ_ONLY, READ_ONLY_PAGE, Space, WORK_PC,
};
pub(crate) use plan::{Endpoint, Grant, Interrupt, Notification, Plan, SchedContext, Thread};
pub(crate) use processors::{Processors, ProcessorsSnapshot};
pub(crate) use recording::replay_damaged;
pub(crate) use reference::Counts;
pub(crate) use seed::{check_random, random_config};
pub(crate) use service::Service;
pub(crate) use snapshot::{Snapshot, ThreadSnapshot};
pub(crate) use syscalls::{Arguments, REPLY};
pub(crate) use system::{Checking, OpenCalls, Probes, System, pattern};
pub(crate) use twins::{Paths, assert_twins};
