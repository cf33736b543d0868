//! Resets of a thread on another processor: its home looks at it and resets its registers, and the caller then works.

use limen_abi::{ErrorCode, FaultLabel, Label, Syscall, slot};
use limen_core::fault::{Access, Fault};
use limen_core::machine::{self, Context};
use limen_core::object::thread::State;
use limen_image::Rights;

use crate::support::{
    Arguments, Grant, Interrupt, PC, Plan, Processors, REPLY, SP, SYSCALL_BYTES, TestContext, Thread,
    WORK_PC, Wiring,
};

const BADGE: u64 = 0x42;
const FAULT: Fault = Fault::Vm { address: 0x123, access: Access::Data, status: 5 };
/// A register that a program has changed.
const CHANGED: usize = 7;

/// A child on processor 1, and its parent on processor 0, which handles its faults, beside a manager that an interrupt wakes. A
/// grandparent on processor 2 may stop the child.
struct Family {
    plan: Plan,
    grandparent: Thread,
    stop: u64,
    manager: Thread,
    wake: Interrupt,
    parent: Thread,
    beside_parent: Thread,
    child: Thread,
    /// The parent's slots.
    receive: u64,
    control: u64,
    reset: u64,
    /// The child's slots.
    call: u64,
    digest: u64,
    /// The manager's slots for the parent and the child.
    parent_control: u64,
    child_control: u64,
}

impl Family {
    fn new() -> Self {
        let mut plan = Plan::new();
        // Letters of threads with lower numbers are read first.
        let grandparent = plan.thread("grandparent", 100);
        let parent = plan.thread("parent", 100);
        let beside_parent = plan.thread("beside parent", 10);
        let child = plan.thread("child", 50);
        let beside_child = plan.thread("beside child", 10);
        let manager = plan.thread("manager", 250);
        let endpoint = plan.endpoint();
        let receive = plan.grant(parent, endpoint.receiver());
        let control = plan.grant(parent, child.control());
        let reset = plan.reset(parent, child);
        let reset = plan.grant(parent, Grant::service(reset));
        let other = plan.endpoint();
        plan.grant(beside_parent, other.receiver());
        let call = plan.grant(child, other.caller(BADGE));
        let digest = plan.digest(child);
        let digest = plan.grant(child, Grant::service(digest));
        plan.handle_faults(child, endpoint.with(BADGE, Rights::SEND | Rights::GRANT_REPLY));
        let notification = plan.bound_notification(manager);
        let wake = plan.interrupt(Wiring::EdgeKept, notification, 1);
        plan.place(manager, slot::INPUT, notification.waiter());
        let [parent_control, child_control] =
            [parent, child].map(|thread| plan.grant(manager, thread.control()));
        let stop = plan.grant(grandparent, child.control());
        plan.set_processor(grandparent, 2);
        plan.set_processor(child, 1);
        plan.set_processor(beside_child, 1);
        Self {
            plan,
            grandparent,
            stop,
            manager,
            wake,
            parent,
            beside_parent,
            child,
            receive,
            control,
            reset,
            call,
            digest,
            parent_control,
            child_control,
        }
    }

    /// Boots; the manager waits, and parent and child run.
    fn boot(&self) -> Processors {
        let mut processors = self.plan.boot_processors();
        processors.of(self.manager).recv(self.manager, slot::INPUT);
        processors.of(self.parent).assert_running(self.parent);
        processors.of(self.child).assert_running(self.child);
        processors
    }

    /// The same, and the parent has stopped the child, whose program has changed its registers.
    fn boot_stopped(&self) -> Processors {
        let mut processors = self.boot();
        self.change_registers(&mut processors);
        self.invoke(&mut processors, Label::TcbSuspend, &[]);
        processors
    }

    fn change_registers(&self, processors: &mut Processors) {
        let context = &mut processors.of(self.child).kernel.threads[self.child.id()].context;
        context.registers[CHANGED] = 0x5eed;
        context.registers[PC] += 0x40;
    }

    /// The parent invokes the child.
    fn invoke(&self, processors: &mut Processors, label: Label, words: &[u64]) {
        processors.of(self.parent).call(self.parent, self.control, label.as_raw(), words);
        processors.settle();
        processors.of(self.parent).assert_done(self.parent);
    }

    /// The parent asks for the reset. No processor has taken an interrupt.
    fn call_reset(&self, processors: &mut Processors) {
        processors.of(self.parent).run_service(self.parent, self.reset);
        processors.of(self.parent).assert_running(self.beside_parent);
        assert_eq!(processors.interrupted(), [1]);
    }

    /// The same, and everything arrives.
    fn reset(&self, processors: &mut Processors) {
        self.call_reset(processors);
        processors.settle();
    }

    fn wake_manager(&self, processors: &mut Processors) {
        let line = self.wake.line();
        processors.of(self.manager).interrupt(machine::Interrupt::Line(line));
        processors.of(self.manager).assert_running(self.manager);
    }

    /// The running manager invokes a thread.
    fn manage(&self, processors: &mut Processors, control: u64, label: Label, words: &[u64]) {
        processors.of(self.manager).call(self.manager, control, label.as_raw(), words);
    }

    fn first_registers(&mut self) -> TestContext {
        let record = self.plan.record(self.child);
        let mut first = TestContext::ZERO;
        (first.registers[PC], first.registers[SP]) = (record.entry, record.stack_top);
        first
    }

    fn assert_reset(&mut self, processors: &mut Processors) {
        let first = self.first_registers();
        let child = self.child;
        assert_eq!(processors.of(child).context(child).registers, first.registers);
        assert_eq!(processors.of(child).kernel.machine.fpu_resets, [child.id()]);
        assert_eq!(processors.of(self.parent).kernel.machine.fpu_resets, []);
    }

    fn assert_not_reset(&self, processors: &mut Processors) {
        assert_eq!(processors.of(self.child).kernel.machine.fpu_resets, []);
        assert_eq!(processors.of(self.parent).kernel.machine.works_begun, [] as [usize; 0]);
    }
}

fn assert_refused(processors: &mut Processors, family: &Family) {
    let parent = family.parent;
    processors.of(parent).assert_running(parent);
    processors.of(parent).assert_refused(parent, ErrorCode::IllegalOperation, &[]);
    assert!(processors.of(parent).kernel.works[parent.id()].is_none());
    family.assert_not_reset(processors);
}

#[test]
fn a_stopped_child_elsewhere_is_reset_by_its_home_and_then_by_its_parent() {
    let mut family = Family::new();
    let mut processors = family.boot_stopped();
    let (parent, child) = (family.parent, family.child);
    let before = *processors.of(parent).context(parent);
    family.call_reset(&mut processors);
    processors.take_interrupt(1);
    family.assert_reset(&mut processors);
    assert!(processors.of(parent).kernel.works[parent.id()].is_none(), "the letter is not back");
    processors.take_interrupt(0);
    processors.of(parent).assert_at_work(parent);
    assert_eq!(processors.of(parent).pc(parent), WORK_PC);
    assert_eq!(processors.of(parent).kernel.machine.works_begun, [0]);
    assert_eq!(processors.of(child).kernel.machine.works_begun, [] as [usize; 0]);
    // The switch has saved all registers of the program.
    let mut program = before;
    program.registers[PC] = before.registers[PC] + SYSCALL_BYTES;
    let found = processors.of(parent).program(parent).registers;
    assert_eq!(found[CHANGED..], program.registers[CHANGED..]);
    processors.of(parent).finish_work(parent, [7; _]);
    processors.of(parent).assert_message(parent, 0, 0, &[]);
    assert_eq!(processors.of(parent).pc(parent), program.registers[PC]);
    family.invoke(&mut processors, Label::TcbResume, &[]);
    processors.of(child).assert_running(child);
    family.assert_reset(&mut processors);
    assert_eq!(processors.interrupted(), []);
}

#[test]
fn a_child_elsewhere_that_can_run_is_not_reset() {
    let family = Family::new();
    let child = family.child;
    // It runs, is ready, waits for an answer from elsewhere, or waits in its own kernel.
    let mut processors = family.boot();
    family.reset(&mut processors);
    assert_refused(&mut processors, &family);
    let mut processors = family.boot();
    processors.of(child).call(child, family.call, 0, &[]);
    processors.settle();
    assert!(matches!(processors.of(child).state(child), State::Away { .. }));
    family.reset(&mut processors);
    assert_refused(&mut processors, &family);
    let mut processors = family.boot();
    processors.of(child).run_service(child, family.digest);
    family.reset(&mut processors);
    assert_refused(&mut processors, &family);
    processors.of(child).assert_at_work(child);
}

#[test]
fn a_child_whose_program_counter_was_written_during_a_call_is_not_reset() {
    let family = Family::new();
    let child = family.child;
    let mut processors = family.boot();
    processors.of(child).call(child, family.call, 0, &[]);
    processors.settle();
    family.invoke(&mut processors, Label::TcbWriteRegisters, &[0, 1, 0x1000]);
    family.reset(&mut processors);
    assert_refused(&mut processors, &family);
}

#[test]
fn a_parent_elsewhere_may_reset_a_child_whose_fault_it_handles() {
    let mut family = Family::new();
    let mut processors = family.boot();
    let (parent, child) = (family.parent, family.child);
    processors.of(parent).recv(parent, family.receive);
    family.change_registers(&mut processors);
    processors.of(child).fault(child, FAULT);
    processors.settle();
    processors.of(parent).assert_running(parent);
    family.reset(&mut processors);
    processors.of(parent).assert_at_work(parent);
    family.assert_reset(&mut processors);
    processors.of(parent).finish_work(parent, [0; _]);
    // The reply lets it start.
    processors.of(parent).reply_recv(parent, family.receive, 0, &[]);
    processors.settle();
    processors.of(child).assert_running(child);
    family.assert_reset(&mut processors);
}

#[test]
fn a_reply_to_a_fault_that_arrives_before_the_request_for_a_reset_lets_the_child_run() {
    let family = Family::new();
    let mut processors = family.boot();
    let (parent, child) = (family.parent, family.child);
    processors.of(parent).recv(parent, family.receive);
    processors.of(child).fault(child, FAULT);
    processors.settle();
    processors.of(parent).send(parent, REPLY, 0, &[]);
    family.reset(&mut processors);
    assert_refused(&mut processors, &family);
    processors.of(child).assert_running(child);
}

#[test]
fn a_timed_out_child_elsewhere_abandons_its_work_when_it_is_reset() {
    let mut family = Family::new();
    family.plan.share(family.child, 100, 400);
    let child = family.child;
    let handler = family.plan.record(child).fault_slot;
    family.plan.record(child).timeout_slot = handler;
    let mut processors = family.boot();
    let parent = family.parent;
    processors.of(parent).recv(parent, family.receive);
    processors.of(child).run_service(child, family.digest);
    processors.of(child).run_to_timer();
    processors.settle();
    let info = processors.of(parent).context(parent).info();
    assert_eq!(info.label(), FaultLabel::Timeout.as_raw());
    family.reset(&mut processors);
    processors.of(parent).assert_at_work(parent);
    assert!(processors.of(child).kernel.works[child.id()].is_none());
    family.assert_reset(&mut processors);
}

#[test]
fn sends_do_not_reset_a_child_elsewhere() {
    let family = Family::new();
    let parent = family.parent;
    for syscall in [Syscall::Send, Syscall::NbSend] {
        let mut processors = family.boot_stopped();
        let arguments = Arguments { label: Label::ServiceRun.as_raw(), words: &[], caps: &[] };
        processors.of(parent).syscall(parent, syscall, family.reset, &arguments);
        processors.settle();
        processors.of(parent).assert_running(parent);
        family.assert_not_reset(&mut processors);
    }
    let mut processors = family.boot_stopped();
    processors.of(parent).nb_send_recv(parent, family.reset, family.receive, Label::ServiceRun.as_raw(), &[]);
    processors.settle();
    family.assert_not_reset(&mut processors);
    assert!(matches!(processors.of(parent).state(parent), State::Receiving { .. }));
}

#[test]
fn a_service_elsewhere_has_one_method() {
    let family = Family::new();
    let mut processors = family.boot_stopped();
    processors.of(family.parent).call(family.parent, family.reset, Label::TcbSuspend.as_raw(), &[]);
    processors.settle();
    assert_refused(&mut processors, &family);
}

#[test]
fn a_parent_that_is_stopped_before_its_letter_is_back_repeats_the_call() {
    // Stopped before the child's home has the letter, or when it has answered.
    for is_answered in [false, true] {
        let mut family = Family::new();
        let mut processors = family.boot_stopped();
        let parent = family.parent;
        let pc = processors.of(parent).pc(parent);
        family.call_reset(&mut processors);
        if is_answered {
            processors.take_interrupt(1);
        }
        family.wake_manager(&mut processors);
        family.manage(&mut processors, family.parent_control, Label::TcbSuspend, &[]);
        processors.settle();
        processors.of(parent).assert_inactive(parent);
        assert!(processors.of(parent).kernel.works[parent.id()].is_none());
        assert_eq!(processors.of(parent).pc(parent), pc, "at its system call again");
        family.manage(&mut processors, family.parent_control, Label::TcbResume, &[]);
        processors.of(family.manager).recv(family.manager, slot::INPUT);
        processors.of(parent).assert_running(parent);
        processors.of(family.child).kernel.machine.fpu_resets.clear();
        family.reset(&mut processors);
        processors.of(parent).assert_at_work(parent);
        family.assert_reset(&mut processors);
    }
}

#[test]
fn a_parent_whose_program_counter_is_written_meanwhile_does_not_work() {
    let family = Family::new();
    let mut processors = family.boot_stopped();
    let parent = family.parent;
    family.call_reset(&mut processors);
    family.wake_manager(&mut processors);
    family.manage(&mut processors, family.parent_control, Label::TcbWriteRegisters, &[0, 1, 0x1000]);
    processors.of(family.manager).recv(family.manager, slot::INPUT);
    processors.settle();
    processors.of(parent).assert_running(parent);
    assert_eq!(processors.of(parent).pc(parent), 0x1000);
    assert_eq!(processors.of(parent).kernel.machine.works_begun, [] as [usize; 0]);
}

#[test]
fn work_that_has_not_begun_is_abandoned_with_the_registers_of_the_program() {
    let mut family = Family::new();
    let mut processors = family.boot_stopped();
    let parent = family.parent;
    let before = processors.of(parent).context(parent).registers;
    family.call_reset(&mut processors);
    processors.take_interrupt(1);
    family.wake_manager(&mut processors);
    // The letter comes back while the manager runs.
    processors.take_interrupt(0);
    processors.of(family.manager).assert_running(family.manager);
    assert!(processors.of(parent).kernel.works[parent.id()].is_some());
    family.manage(&mut processors, family.parent_control, Label::TcbSuspend, &[]);
    processors.of(parent).assert_inactive(parent);
    assert!(processors.of(parent).kernel.works[parent.id()].is_none());
    let found = processors.of(parent).context(parent).registers;
    assert_eq!(found[PC], before[PC]);
    assert_eq!(found[CHANGED..], before[CHANGED..]);
    family.assert_reset(&mut processors);
}

#[test]
fn a_child_elsewhere_that_another_thread_resumes_meanwhile_runs_during_the_work() {
    let mut family = Family::new();
    let mut processors = family.boot_stopped();
    let (parent, child) = (family.parent, family.child);
    family.call_reset(&mut processors);
    processors.take_interrupt(1);
    family.wake_manager(&mut processors);
    family.manage(&mut processors, family.child_control, Label::TcbResume, &[]);
    processors.settle();
    processors.of(child).assert_running(child);
    family.assert_reset(&mut processors);
    processors.of(family.manager).recv(family.manager, slot::INPUT);
    processors.of(parent).assert_at_work(parent);
    processors.of(parent).finish_work(parent, [0; _]);
    processors.of(parent).assert_message(parent, 0, 0, &[]);
}

#[test]
fn registers_are_reset_after_a_thread_that_was_stopped_is_switched_away() {
    let mut family = Family::new();
    let (grandparent, child, parent) = (family.grandparent, family.child, family.parent);
    let mut processors = family.boot();
    processors.of(grandparent).call(grandparent, family.stop, Label::TcbSuspend.as_raw(), &[]);
    family.call_reset(&mut processors);
    processors.take_interrupt(1);
    // The switch at the end of this kernel entry saves the registers.
    family.change_registers(&mut processors);
    processors.settle();
    processors.of(parent).assert_at_work(parent);
    processors.of(child).assert_inactive(child);
    family.assert_reset(&mut processors);
}
