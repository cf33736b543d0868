//! Capabilities in root slots.

use limen_abi::{ErrorCode, Label, Syscall, slot};

use crate::support::{Arguments, Plan};

/// Returns the pointer to a root slot.
const fn pointer(root_slot: u64) -> u64 {
    root_slot << (u64::BITS - slot::ROOT_BITS)
}

#[test]
fn the_top_bits_of_a_pointer_select_a_root_slot() {
    let mut plan = Plan::new();
    let [manager, worker] =
        [("manager", 2), ("worker", 1)].map(|(name, priority)| plan.thread(name, priority));
    plan.place(manager, slot::ROOT + 1, worker.control());
    plan.place(manager, slot::ROOT + 63, worker.control());
    let mut system = plan.boot();
    for (cptr, label) in [(pointer(1), Label::TcbSuspend), (pointer(63) | 0xfff, Label::TcbResume)] {
        system.call(manager, cptr, label.as_raw(), &[]);
        system.assert_done(manager);
    }
    system.assert_runnable(worker);
    for empty in [pointer(2), pointer(62)] {
        system.call(manager, empty, Label::TcbSuspend.as_raw(), &[]);
        system.assert_refused(manager, ErrorCode::InvalidCapability, &[0]);
    }
}

#[test]
fn a_capability_in_a_root_slot_can_be_an_argument() {
    let mut plan = Plan::new();
    let manager = plan.thread("manager", 2);
    let worker = plan.passive("worker", 1);
    let time = plan.sched_context(10);
    plan.place(manager, slot::ROOT + 5, worker.control());
    plan.place(manager, slot::ROOT + 6, time.control());
    let mut system = plan.boot();
    let label = Label::SchedContextBind.as_raw();
    let arguments = Arguments { label, words: &[], caps: &[pointer(5)] };
    system.syscall(manager, Syscall::Call, pointer(6), &arguments);
    system.assert_holds(worker, Some(time));
}

#[test]
fn each_program_has_its_own_root_table() {
    let mut plan = Plan::new();
    let [a, b] = ["a", "b"].map(|name| plan.thread(name, 2));
    plan.place(a, slot::ROOT + 1, b.control());
    let mut system = plan.boot();
    system.yield_slice(a);
    system.call(b, pointer(1), Label::TcbSuspend.as_raw(), &[]);
    system.assert_refused(b, ErrorCode::InvalidCapability, &[0]);
}
