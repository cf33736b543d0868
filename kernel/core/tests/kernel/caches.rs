//! Maintaining caches through address spaces.

use limen_abi::limits::LARGE_PAGE_BYTES;
use limen_abi::{ErrorCode, Label};
use limen_core::machine::CacheOperation;

use crate::support::{Grant, Plan, READ_ONLY_PAGE, Space, System, Thread};

const CLEAN: u64 = Label::ArmVspaceCleanData.as_raw();
const INVALIDATE: u64 = Label::ArmVspaceInvalidateData.as_raw();

/// A program with the address space of another, and its slot.
fn boot() -> (System, Thread, u64) {
    let mut plan = Plan::new();
    let program = plan.thread("program", 2);
    let other = plan.thread("other", 1);
    let slot = plan.grant(program, Grant::vspace(other));
    (plan.boot(), program, slot)
}

#[test]
fn each_method_is_done_for_its_range_in_its_address_space() {
    let (mut system, program, slot) = boot();
    let methods = [
        (Label::ArmVspaceCleanData, CacheOperation::Clean),
        (Label::ArmVspaceInvalidateData, CacheOperation::Invalidate),
        (Label::ArmVspaceCleanInvalidateData, CacheOperation::CleanInvalidate),
        (Label::ArmVspaceUnifyInstruction, CacheOperation::Unify),
    ];
    for (label, operation) in methods {
        system.call(program, slot, label.as_raw(), &[0x1010, 0x2020]);
        system.assert_done(program);
        let done = system.kernel.machine.caches_maintained.pop();
        assert_eq!(done, Some((Space(1), operation, 0x1010..0x2020)));
    }
}

#[test]
fn ranges_that_cannot_be_are_refused_in_this_order() {
    let (mut system, program, slot) = boot();
    let top = 1 << 40;
    let refused: [(&[u64], ErrorCode, &[u64]); 6] = [
        (&[0x1000], ErrorCode::TruncatedMessage, &[]),
        (&[0x1000, 0x1000], ErrorCode::InvalidArgument, &[1]),
        (&[u64::MAX, 0], ErrorCode::InvalidArgument, &[1]),
        (&[top - 8, top + 8], ErrorCode::IllegalOperation, &[]),
        (&[u64::MAX - 1, u64::MAX], ErrorCode::IllegalOperation, &[]),
        (&[0x10, LARGE_PAGE_BYTES + 1], ErrorCode::RangeError, &[0x10, LARGE_PAGE_BYTES]),
    ];
    for (words, code, details) in refused {
        system.call(program, slot, CLEAN, words);
        system.assert_refused(program, code, details);
    }
    assert_eq!(system.kernel.machine.caches_maintained, []);
    system.call(program, slot, CLEAN, &[0, LARGE_PAGE_BYTES]);
    system.call(program, slot, CLEAN, &[top - 8, top]);
    assert_eq!(system.kernel.machine.caches_maintained.len(), 2);
}

#[test]
fn what_may_only_be_read_is_not_forgotten() {
    let (mut system, program, slot) = boot();
    system.call(program, slot, INVALIDATE, &[READ_ONLY_PAGE - 8, READ_ONLY_PAGE + 8]);
    system.assert_refused(program, ErrorCode::IllegalOperation, &[]);
    system.call(program, slot, INVALIDATE, &[READ_ONLY_PAGE - 8, READ_ONLY_PAGE]);
    system.assert_done(program);
    system.call(program, slot, CLEAN, &[READ_ONLY_PAGE, READ_ONLY_PAGE + 8]);
    system.assert_done(program);
}
