//! Checks that every system call, method, fault and event has a figure for its time with interrupts off among those
//! that `./x bench` measures, on every architecture that supports it.

use limen_abi::message::REGISTER_WORDS;
use limen_abi::{Label, Syscall};
use limen_core::cap::LookupFailure;
use limen_core::event::Event;
use limen_core::fault::{Access, Fault, Phase};
use limen_core::machine::{Interrupt, Line};
use limen_core::object::service::ServiceResult;

/// The figures of one board of each architecture.
const FIGURES: [(&str, &str); 3] = [
    ("aarch64", include_str!("../../../../bench/golden/qemu_virt_aarch64.txt")),
    ("riscv64", include_str!("../../../../bench/golden/qemu_virt_riscv64.txt")),
    ("x86_64", include_str!("../../../../bench/golden/x86_64_generic.txt")),
];

/// The subjects of an architecture's rows.
fn rows(figures: &'static str) -> impl Iterator<Item = &'static str> {
    figures.lines().filter_map(|line| Some(line.strip_prefix("interrupts_off ")?.rsplit_once(" = ")?.0))
}

/// Returns the subject with which the rows of an event begin; `None` for events with rows per system call or kind of
/// fault.
fn row_of(event: &Event) -> Option<&'static str> {
    match event {
        Event::Syscall(_) | Event::Fault(_) => None,
        Event::FpuUse(_) => Some("event=FpuUse"),
        Event::Interrupt => Some("event=Interrupt"),
        Event::WorkDone(_) => Some("event=WorkDone"),
    }
}

fn row_of_interrupt(interrupt: &Interrupt) -> &'static str {
    match interrupt {
        Interrupt::Timer => "event=Interrupt by=timer",
        Interrupt::Line(_) => "event=Interrupt by=line",
        Interrupt::Message => "event=Interrupt by=message",
    }
}

fn row_of_fault(fault: &Fault) -> &'static str {
    match fault {
        Fault::Cap { .. } => "fault=CapFault",
        Fault::UnknownSyscall { .. } => "fault=UnknownSyscall",
        Fault::UserException { .. } => "fault=UserException",
        Fault::Vm { .. } => "fault=VMFault",
        Fault::Timeout { .. } => "fault=Timeout",
    }
}

const FAULTS: [Fault; 5] = [
    Fault::Cap { cptr: 0, phase: Phase::Send, failure: LookupFailure::TOO_LARGE },
    Fault::UnknownSyscall { number: 0 },
    Fault::UserException { number: 0, code: 0 },
    Fault::Vm { address: 0, access: Access::Data, status: 0 },
    Fault::Timeout { data: 0, consumed_us: 0 },
];
const EVENTS: [Event; 3] = [
    Event::FpuUse(FAULTS[0]),
    Event::Interrupt,
    Event::WorkDone(ServiceResult { words: [0; REGISTER_WORDS] }),
];
const INTERRUPTS: [Interrupt; 2] = [Interrupt::Timer, Interrupt::Line(Line(0))];

/// Returns the only architecture that has a method; `None` if all have it.
fn architecture_of(method: &str) -> Option<&'static str> {
    [("ARM", "aarch64"), ("X86", "x86_64")]
        .into_iter()
        .find_map(|(prefix, name)| method.starts_with(prefix).then_some(name))
}

/// Returns the subjects that an architecture's rows must cover.
fn required(architecture: &str) -> Vec<String> {
    let methods = Label::ALL.iter().map(|(_, name, _)| *name);
    let methods = methods.filter(|name| architecture_of(name).is_none_or(|only| only == architecture));
    let calls = Syscall::ALL.iter().filter_map(|(_, name, _)| name.strip_prefix("seL4_Sys"));
    (methods.map(|name| format!("label={name}")))
        .chain(calls.map(|name| format!("syscall={name}")))
        .chain(FAULTS.iter().map(row_of_fault).map(str::to_owned))
        .chain(EVENTS.iter().filter_map(row_of).map(str::to_owned))
        .chain(INTERRUPTS.iter().map(row_of_interrupt).map(str::to_owned))
        .collect()
}

#[test]
fn every_kernel_entry_has_a_figure() {
    for (architecture, figures) in FIGURES {
        let has = |required: &String| {
            rows(figures).any(|about| about == required || about.starts_with(&format!("{required} ")))
        };
        let missing: Vec<_> = required(architecture).into_iter().filter(|required| !has(required)).collect();
        assert!(missing.is_empty(), "{architecture} lacks `interrupts_off` rows for {missing:?}");
    }
}
