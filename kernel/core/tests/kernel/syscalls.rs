//! System calls by number: unknown ones, and printing.

use limen_abi::benchmark::BenchmarkCall;
use limen_abi::{FaultLabel, MessageInfo};
use limen_core::machine::Context;

use crate::support::Family;

#[test]
fn unknown_numbers_are_faults() {
    for number in [0, 1, 7, 42, -13, -14, -100, i64::MAX, i64::MIN] {
        let mut family = Family::active(200);
        let mut system = family.boot();
        let pc = system.pc(family.child);
        system.trap(family.child, number, 0, MessageInfo::default());
        system.assert_running(family.parent);
        assert_eq!(system.message_word(family.parent, 8), pc);
        assert_eq!(system.message_word(family.parent, 12), number as u64);
    }
}

#[test]
fn characters_are_printed_if_printing_is_on() {
    let mut family = Family::active(200);
    family.plan.allow_printing();
    let mut system = family.boot();
    let before = *system.context(family.child);
    for byte in *b"Hi\n\0\xff" {
        system.put_char(family.child, byte);
        system.assert_running(family.child);
    }
    assert_eq!(system.kernel.machine.console, b"Hi\n\0\xff");
    let changed = system.context(family.child).registers.iter().zip(before.registers);
    assert_eq!(changed.filter(|(now, before)| **now != *before).count(), 3, "x0, x7 and the pc");
}

#[test]
fn printing_is_an_unknown_system_call_if_it_is_off() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    system.put_char(family.child, b'x');
    system.assert_running(family.parent);
    system.assert_signal(family.parent, Family::BADGE);
    let info = system.context(family.parent).info();
    assert_eq!(info.label(), FaultLabel::UnknownSyscall.as_raw());
    assert_eq!(system.kernel.machine.console, b"");
}

#[test]
fn benchmark_calls_are_unknown_unless_the_image_measures() {
    for (call, ..) in BenchmarkCall::ALL {
        let mut family = Family::active(200);
        let mut system = family.boot();
        system.trap(family.child, call.as_raw(), 0, MessageInfo::default());
        system.assert_running(family.parent);
        let info = system.context(family.parent).info();
        assert_eq!(info.label(), FaultLabel::UnknownSyscall.as_raw());
    }
}
