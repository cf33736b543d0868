//! Cache maintenance through address spaces.

use limen_abi::limits::{CACHE_CHUNK_BYTES, LARGE_PAGE_BYTES};
use limen_abi::{ErrorCode, Label, slot};
use limen_core::machine::CacheOperation;

use crate::support::{Grant, PC, Plan, READ_ONLY_PAGE, Space, System, Thread};

const CLEAN: u64 = Label::ArmVspaceCleanData.as_raw();
const INVALIDATE: u64 = Label::ArmVspaceInvalidateData.as_raw();

/// A program with a capability to the address space of another, and its slot.
fn boot() -> (System, Thread, u64) {
    let mut plan = Plan::new();
    let program = plan.thread("program", 2);
    let other = plan.thread("other", 1);
    let slot = plan.grant(program, Grant::vspace(other));
    (plan.boot(), program, slot)
}

#[test]
fn each_method_maintains_its_range_in_its_address_space() {
    let (mut system, program, slot) = boot();
    let methods = [
        (Label::ArmVspaceCleanData, CacheOperation::Clean),
        (Label::ArmVspaceInvalidateData, CacheOperation::Invalidate),
        (Label::ArmVspaceCleanInvalidateData, CacheOperation::CleanInvalidate),
        (Label::ArmVspaceUnifyInstruction, CacheOperation::Unify),
    ];
    for (label, operation) in methods {
        system.call(program, slot, label.as_raw(), &[0x1010, 0x1820]);
        system.call_again(program);
        system.assert_done(program);
        let done = core::mem::take(&mut system.kernel.machine.caches_maintained);
        let chunks = [0x1010..0x1800, 0x1800..0x1820];
        assert_eq!(done, chunks.map(|chunk| (Space(1), operation, chunk)));
    }
}

#[test]
fn invalid_ranges_are_refused_in_this_order() {
    let (mut system, program, slot) = boot();
    let top = 1 << 40;
    let refused: [(&[u64], ErrorCode, &[u64]); 7] = [
        (&[0x1000], ErrorCode::TruncatedMessage, &[]),
        (&[0x1000, 0x1000], ErrorCode::InvalidArgument, &[1]),
        (&[u64::MAX, 0], ErrorCode::InvalidArgument, &[1]),
        (&[top + 16, top + 8], ErrorCode::InvalidArgument, &[1]),
        (&[top - 8, top + 8], ErrorCode::IllegalOperation, &[]),
        (&[u64::MAX - 1, u64::MAX], ErrorCode::IllegalOperation, &[]),
        (&[0x10, LARGE_PAGE_BYTES + 1], ErrorCode::RangeError, &[0x10, LARGE_PAGE_BYTES]),
    ];
    for (words, code, details) in refused {
        system.call(program, slot, CLEAN, words);
        system.assert_refused(program, code, details);
    }
    assert_eq!(system.kernel.machine.caches_maintained, []);
    system.call(program, slot, CLEAN, &[top - 8, top]);
    assert_eq!(system.kernel.machine.caches_maintained.len(), 1);
}

/// An interrupt waits for one chunk at most, however long the range.
#[test]
fn the_longest_range_is_done_one_chunk_at_a_time() {
    let (mut system, program, slot) = boot();
    let start = system.register(program, PC);
    system.call(program, slot, CLEAN, &[0, LARGE_PAGE_BYTES]);
    let mut next = 0;
    loop {
        let done = core::mem::take(&mut system.kernel.machine.caches_maintained);
        assert_eq!(done, [(Space(1), CacheOperation::Clean, next..next + CACHE_CHUNK_BYTES)]);
        next += CACHE_CHUNK_BYTES;
        if next == LARGE_PAGE_BYTES {
            break;
        }
        assert_eq!(system.register(program, PC), start);
        system.call_again(program);
    }
    system.assert_done(program);
}

/// Otherwise the program would receive before the rest is done.
#[test]
fn a_send_that_also_receives_maintains_nothing() {
    let (mut system, program, slot) = boot();
    system.nb_send_recv(program, slot, slot::INPUT, CLEAN, &[0, 0x1000]);
    assert_eq!(system.kernel.machine.caches_maintained, []);
}

#[test]
fn read_only_memory_is_not_invalidated() {
    let (mut system, program, slot) = boot();
    system.call(program, slot, INVALIDATE, &[READ_ONLY_PAGE - 8, READ_ONLY_PAGE + 8]);
    system.call_again(program);
    system.assert_refused(program, ErrorCode::IllegalOperation, &[]);
    system.call(program, slot, INVALIDATE, &[READ_ONLY_PAGE - 8, READ_ONLY_PAGE]);
    system.assert_done(program);
    system.call(program, slot, CLEAN, &[READ_ONLY_PAGE, READ_ONLY_PAGE + 8]);
    system.assert_done(program);
}
