//! Protection domains in Rust.
//!
//! ```ignore
//! #![no_std]
//! #![no_main]
//! #![forbid(unsafe_code)]
//!
//! use limen::{Channel, Program, println};
//!
//! const BUTTON: Channel = Channel::new(1);
//!
//! struct Counter {
//!     presses: u64,
//! }
//!
//! impl Program for Counter {
//!     fn notified(&mut self, channel: Channel) {
//!         if channel == BUTTON {
//!             self.presses += 1;
//!             println!("pressed {} times", self.presses);
//!         }
//!     }
//! }
//!
//! limen::protection_domain!(init);
//!
//! fn init() -> Counter {
//!     Counter { presses: 0 }
//! }
//! ```
//!
//! A program is a value that implements [`Program`]. [`protection_domain!`] names the function that makes it. The crate
//! calls the program's functions one at a time, so each has `&mut self` and needs no lock. A program needs no unsafe
//! code of its own.
//!
//! # From `microkit.h`
//!
//! | C | Rust |
//! |---|---|
//! | `init` | the function that [`protection_domain!`] names |
//! | `notified`, `protected`, `fault` | [`Program::notified`], [`Program::protected`], [`Program::fault`] |
//! | `microkit_name` | [`name`] |
//! | `microkit_notify` | [`Channel::notify`] |
//! | `microkit_irq_ack` | [`Channel::acknowledge`] |
//! | `microkit_ppcall` | [`Channel::call`] |
//! | `microkit_deferred_notify` | [`Channel::deferred_notify`] |
//! | `microkit_deferred_irq_ack` | [`Channel::deferred_acknowledge`] |
//! | `microkit_have_signal`, `microkit_signal_cap`, `microkit_signal_msg` | none: only the two functions above set them |
//! | `microkit_notifications`, `microkit_pps`, `microkit_irqs` | [`Channel::may_notify`], [`Channel::may_call`], [`Channel::is_interrupt`] |
//! | `microkit_msginfo_new` | [`MessageInfo::new`] |
//! | `microkit_msginfo_get_label` | [`MessageInfo::label`] |
//! | `microkit_msginfo_get_count` | [`MessageInfo::length`] |
//! | `microkit_mr_set` | [`message::set_word`] |
//! | `microkit_mr_get` | [`message::word`] |
//! | `microkit_pd_restart` | [`Child::restart`] |
//! | `microkit_pd_stop` | [`Child::stop`] |
//! | `microkit_pd_resume` | [`Child::resume`] |
//! | `microkit_cspace_root_slot_to_cptr` | [`Thread::in_root_slot`] |
//! | `microkit_internal_crash` | [`crash`] |
//! | `microkit_arm_smc_call` | `smc::call`, on AArch64 |
//! | `microkit_x86_ioport_read_8`, `_16`, `_32` | `IoPorts::read_8`, `read_16`, `read_32`, on x86_64 |
//! | `microkit_x86_ioport_write_8`, `_16`, `_32` | `IoPorts::write_8`, `write_16`, `write_32`, on x86_64 |
//! | `microkit_ioports` | `IoPorts::are_granted`, on x86_64 |
//! | `microkit_dbg_putc`, `microkit_dbg_puts`, `microkit_dbg_put8`, `microkit_dbg_put32` | [`print!`], [`println!`] |
//! | `memzero` | `<[T]>::fill` |
//!
//! # From `limen.h`
//!
//! | C | Rust |
//! |---|---|
//! | `limen_counter`, `limen_boot_stamp` | [`counter`], [`boot_stamp`] |
//! | `limen_fpu_counters`, `limen_fpu_set_policy` | [`fpu::counters`], [`fpu::set_policy`] |
//! | `limen_fpu_allow`, `limen_fpu_forbid` | [`Thread::allow_fpu`], [`Thread::forbid_fpu`] |
//! | `limen_fpu_was_used`, `limen_fpu_on_demand` | [`Fault::is_fpu_use`], [`fpu::on_demand`] |
//! | `limen_key_enable`, `limen_key_disable`, `limen_key_inc`, `limen_key_dec`, `limen_key_read` | [`Key::enable`], [`Key::disable`], [`Key::inc`], [`Key::dec`], [`Key::read`] |
//! | `limen_key_deferred_inc`, `limen_key_deferred_dec`, `limen_key_deferred_flush` | [`DeferredKey::inc`], [`DeferredKey::dec`], [`DeferredKey::flush`] |
//! | `limen_key_deferred_due`, `limen_key_deferred_release` | [`DeferredKey::due`], [`DeferredKey::release`] |
//! | `LIMEN_STATIC_KEY_FALSE`, `LIMEN_STATIC_KEY_TRUE`, and of arrays `..._ARRAY_...` | [`static_key!`] |
//! | `limen_static_branch_unlikely`, `limen_static_branch_likely` | [`static_branch_unlikely!`], [`static_branch_likely!`] |
//! | `limen_digest` | [`service::digest`] |
//! | `limen_reset` | [`service::reset`] |
//! | `limen_seal` | [`service::seal`] |
//! | `limen_probe_start`, `limen_probe_stop`, `limen_probe_read` | [`probe::start`], [`probe::stop`], [`probe::read`] |
//! | `limen_probe_arm`, `limen_probe_arm_syscall`, `limen_probe_arm_interrupt`, `limen_cross_...` | [`probe::cross`], [`probe::keep_armed`] |
//! | `limen_trace_event`, `limen_trace_begin`, `limen_trace_end`, `limen_trace_counter`, `limen_trace_write`, `limen_trace_on` | [`trace_event!`], [`trace_begin!`], [`trace_end!`], [`trace_counter!`], [`trace::ON`] |
//! | `limen_trace_next`, `limen_trace_frequency`, `limen_trace_ring` | [`trace::Reader::next_record`], [`trace::Reader::frequency`], [`trace::Reader::of_processor`] |
//! | `limen_probe_ring_next`, `limen_ring_next` | [`probe::Samples::next_entry`], [`ring::Reader::next_record`] |

#![no_std]
#![warn(missing_docs)]

mod arch;
mod buffer;
mod channel;
mod child;
mod console;
mod deferred;
mod event_loop;
mod fault;
pub mod fpu;
mod invoke;
mod key;
pub mod log;
pub mod message;
#[cfg(target_os = "none")]
mod panic;
mod patched;
#[cfg(target_os = "none")]
pub mod probe;
mod program;
mod region;
mod report;
pub mod ring;
pub mod service;
mod static_key;
mod time;
pub mod trace;
mod trap;

#[allow(unused_imports, unreachable_pub, reason = "RISC-V has nothing of its own")]
pub use arch::*;
pub use channel::Channel;
pub use child::{Child, START, Thread};
pub use console::{Console, IS_PRINTING};
#[doc(hidden)]
pub use event_loop::run;
pub use fault::{Fault, FaultAnswer};
pub use invoke::Error;
pub use key::{DeferredKey, Key, KeyState};
pub use limen_abi as abi;
pub use limen_abi::MessageInfo;
pub use patched::name;
pub use program::Program;
#[doc(hidden)]
pub use region::ONE_PAGE;
pub use region::{Region, Setvar, Shared, Volatile};
pub use report::crash;
pub use static_key::StaticKey;
pub use time::{boot_stamp, counter};
