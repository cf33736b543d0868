//! The cause of a fault, in words that follow the name of the program.

use limen_abi::ErrorCode;
use limen_abi::limits::CAP_SLOTS;
use limen_abi::slot;

use crate::machine::{Access, Exception, Machine};
use crate::place::{self, Try};
use crate::program::Registers;
use crate::record::{FaultRecord, Kind};
use crate::system::{Domain, System};

/// Describes the cause of a fault.
#[must_use]
pub fn describe(system: &System, machine: &Machine, domain: &Domain, fault: &FaultRecord) -> String {
    let registers = Registers { pc: fault.pc, sp: fault.sp, fp: None, link: fault.link };
    let what = |address, what| place::describe(system, domain, address, what, &registers);
    match fault.kind {
        Kind::Vm { address, fetch: true, .. } => {
            format!("jumped to {address:#x}, {}", what(address, Try::Execute))
        }
        Kind::Vm { address, status, .. } => match (machine.access)(status) {
            Access::Read => format!("read from {address:#x}, {}", what(address, Try::Read)),
            Access::Write => format!("wrote to {address:#x}, {}", what(address, Try::Write)),
            Access::Either => format!("accessed {address:#x}, {}", what(address, Try::Access)),
            Access::Misaligned => format!("accessed {address:#x}, which is not aligned for this instruction"),
        },
        Kind::Exception { number, code } => {
            exception((machine.exception)(number, code), number, domain, fault)
        }
        Kind::Cap { cptr, receive, outside } => capability(cptr, receive, outside),
        Kind::Syscall { number } => format!("made a system call that does not exist, number {number}"),
        Kind::Timeout { consumed_us } => format!(
            "used up its budget of {} µs in a period of {} µs ({consumed_us} µs since the last count)",
            domain.budget_us, domain.period_us
        ),
    }
}

/// Describes a stop by a library, which gives the error of the kernel or its own.
#[must_use]
pub fn after_error(number: u64) -> String {
    match ErrorCode::ALL.iter().find(|(code, ..)| code.as_raw() == number) {
        Some((ErrorCode::NoError, ..)) => "stopped itself".to_owned(),
        Some((_, name, ..)) => {
            format!("stopped itself, because the kernel returned error {number} ({name})")
        }
        None => format!("stopped itself with error {number}"),
    }
}

fn exception(exception: Exception, number: u64, domain: &Domain, fault: &FaultRecord) -> String {
    match exception {
        Exception::Forbidden => "executed an instruction that is undefined or forbidden".to_owned(),
        Exception::FpuOff if domain.fpu => {
            "used floating point or vectors, which are switched off".to_owned()
        }
        Exception::FpuOff => {
            "used floating point or vectors, which its description forbids (fpu=\"false\")".to_owned()
        }
        Exception::Breakpoint(Some(number)) => {
            format!("reached a breakpoint or trap instruction, number {number:#x}")
        }
        Exception::Breakpoint(None) => "reached a breakpoint or trap instruction".to_owned(),
        Exception::ProgramCounter => format!("jumped to {:#x}, where no instruction can be", fault.pc),
        Exception::StackPointer => {
            format!("used the stack while sp is {:#x}, which is not aligned", fault.sp)
        }
        Exception::Other(text) => format!("{text} (number {number:#x})"),
    }
}

/// Windows of the capability table: first slot, and what a program does with a missing capability there.
const WINDOWS: [(u64, &str, &str); 9] = [
    (slot::BASE_OUTPUT_NOTIFICATION, "notified channel", "which it may not notify"),
    (slot::BASE_ENDPOINT, "called channel", "which it may not call"),
    (slot::BASE_IRQ, "acknowledged interrupt", "which it does not have"),
    (slot::BASE_TCB, "controlled child", "which it does not have"),
    (slot::BASE_VM_TCB, "controlled virtual processor", "which it does not have"),
    (slot::BASE_VCPU, "used virtual processor", "which it does not have"),
    (slot::BASE_IOPORT, "used I/O ports", "which it does not have"),
    (slot::BASE_SERVICE, "used service", "which it does not have"),
    (slot::BASE_KEY, "used static key", "which it does not have"),
];

fn capability(cptr: u64, receive: bool, outside: bool) -> String {
    if outside {
        return format!("used capability {cptr:#x}, which is outside of its table of {CAP_SLOTS} slots");
    }
    if receive {
        return format!(
            "waited for messages on slot {cptr}, which has no endpoint or notification to receive from"
        );
    }
    let window = WINDOWS.iter().rev().find(|(first, ..)| *first <= cptr);
    match window {
        Some((first, verb, reason)) if cptr - first < slot::WINDOW => {
            format!("{verb} {}, {reason} (slot {cptr} is empty)", cptr - first)
        }
        _ => format!("used slot {cptr} of its capability table, which is empty"),
    }
}
