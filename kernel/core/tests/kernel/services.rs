//! Services: the right to use them, the time and the state of the work, and the state of the program in the meantime.

use limen_abi::fpu::{FpuOption, ThreadFlag};
use limen_abi::probe::ProbeOption;
use limen_abi::{ErrorCode, FaultLabel, FpuPolicy, Label, MessageInfo, ProbeEvent, Syscall};
use limen_core::arena::ThreadId;
use limen_core::event::Event;
use limen_core::kernel::MessageBuffers;
use limen_core::machine::Context;
use limen_core::object::probe::{ExitStamp, Rest};
use limen_core::object::service::ServiceResult;
use limen_core::object::thread::State;
use limen_image::Options;

use crate::support::{
    Arguments, Family, Grant, Interrupt, PC, PRESERVED, PRESERVED_VALUE, Plan, REPLY, SP, Space, System,
    TLS_BASE, Thread, WORK_PC, Wiring,
};

const RUN: u64 = Label::ServiceRun.as_raw();
/// The result of the kernel's work.
const FOUND: [u64; 4] = [0xd1, 0xd2, 0xd3, 0xd4];

/// A client with services, a lower-priority child, and a higher-priority parent that waits for a signal.
struct Working {
    plan: Plan,
    parent: Thread,
    client: Thread,
    child: Thread,
    /// The client's slots.
    digest: u64,
    reset: u64,
    child_control: u64,
    /// The parent's slots.
    control: u64,
    wait: u64,
    policy: u64,
    /// Signals the parent.
    device: Interrupt,
}

impl Working {
    fn new() -> Self {
        let mut plan = Plan::new();
        let parent = plan.thread("parent", 150);
        let client = plan.thread("client", 100);
        let child = plan.thread("child", 50);
        let (digest, reset) = (plan.digest(client), plan.reset(client, child));
        let [digest, reset] = [digest, reset].map(|service| plan.grant(client, Grant::service(service)));
        let child_control = plan.grant(client, child.control());
        let control = plan.grant(parent, client.control());
        let notification = plan.notification();
        let wait = plan.grant(parent, notification.waiter());
        let device = plan.interrupt(Wiring::Level, notification, 1);
        let policy = plan.grant(parent, Grant::fpu_policy());
        Self { plan, parent, client, child, digest, reset, child_control, control, wait, policy, device }
    }

    /// Boots; the parent waits and the client runs.
    fn boot(&self) -> System {
        let mut system = self.plan.boot();
        system.wait(self.parent, self.wait);
        system.assert_running(self.client);
        system
    }

    /// The client has called the digest service.
    fn boot_at_work(&self) -> System {
        let mut system = self.boot();
        system.run_service(self.client, self.digest);
        system.assert_at_work(self.client);
        system
    }

    /// Returns the address space of the client's work, which follows those of the three threads.
    const SPACE: Space = Space(3);

    /// Lets the parent preempt whatever runs.
    fn interrupt(&self, system: &mut System) {
        system.set_asserted(self.device, true);
        system.take_interrupts();
        system.assert_running(self.parent);
    }

    /// The parent invokes the client, successfully.
    fn invoke(&self, system: &mut System, label: Label, words: &[u64]) {
        system.call(self.parent, self.control, label.as_raw(), words);
        assert_eq!(system.context(self.parent).info().label(), ErrorCode::NoError.as_raw());
    }
}

fn fpu_user(system: &System, thread: Thread) -> Option<ThreadId> {
    system.kernel.threads[thread.id()].fpu
}

fn has_unit(system: &System, user: ThreadId) -> bool {
    let fpu = system.kernel.machine.fpu;
    fpu.is_on && fpu.holds == Some(user)
}

/// Asserts that the client's work was abandoned: its program is at its system call, with the registers it had there.
fn assert_abandoned(system: &System, working: &Working, before: &[u64]) {
    let client = working.client;
    assert!(system.kernel.works[client.id()].is_none());
    assert_eq!(system.kernel.threads[client.id()].space, Space(client.0));
    assert_eq!(fpu_user(system, client), Some(client.id()));
    assert_eq!(system.context(client).registers, before);
}

/// Returns the registers with which the client restarts its system call.
fn at_syscall(system: &System, working: &Working) -> Vec<u64> {
    let mut registers = system.program(working.client).registers.to_vec();
    registers[PC] -= 4;
    registers
}

#[test]
fn a_call_continues_as_the_work_of_the_kernel() {
    let working = Working::new();
    let mut system = working.boot();
    let before = *system.context(working.client);
    system.run_service(working.client, working.digest);
    system.assert_at_work(working.client);
    assert_eq!(system.kernel.machine.works_begun, [0]);
    assert_eq!(system.kernel.machine.space, Working::SPACE);
    let mut at_work = [0; _];
    at_work[PC] = WORK_PC;
    assert_eq!(system.context(working.client).registers, at_work, "no register of the program is left");
    assert_eq!(before.registers[PC] + 4, system.program(working.client).registers[PC]);
}

#[test]
fn a_digest_returns_the_result_of_the_work() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    let mut program = *system.program(working.client);
    assert_eq!(program.registers[PRESERVED], PRESERVED_VALUE, "the port stores the rest");
    system.finish_work(working.client, FOUND);
    system.assert_message(working.client, 0, 0, &FOUND);
    program.set_badge(0);
    program.set_words(FOUND, FOUND.len());
    program.set_info(MessageInfo::new(0, FOUND.len()));
    assert_eq!(*system.context(working.client), program, "nothing else changes");
    assert!(!system.kernel.is_at_work());
    assert_eq!(system.kernel.machine.space, Space(working.client.0));
}

#[test]
fn a_digest_of_the_kernel_returns_the_result_of_the_work() {
    let mut working = Working::new();
    let service = working.plan.kernel_digest(working.client);
    let slot = working.plan.grant(working.client, Grant::service(service));
    let mut system = working.boot();
    system.run_service(working.client, slot);
    assert_eq!(system.kernel.machine.works_begun, [2]);
    system.finish_work(working.client, FOUND);
    system.assert_message(working.client, 0, 0, &FOUND);
}

#[test]
fn a_reset_returns_no_words() {
    let working = Working::new();
    let mut system = working.boot();
    system.call(working.client, working.child_control, Label::TcbSuspend.as_raw(), &[]);
    system.run_service(working.client, working.reset);
    assert_eq!(system.kernel.machine.works_begun, [1]);
    let words = system.program(working.client).words();
    system.finish_work(working.client, FOUND);
    system.assert_done(working.client);
    assert_eq!(system.context(working.client).words(), words, "the result words are not returned");
}

#[test]
fn a_reset_gives_its_target_the_registers_it_started_with() {
    let working = Working::new();
    let mut system = working.boot();
    let mut first = [0; _];
    (first[PC], first[SP]) =
        (system.context(working.child).registers[PC], system.context(working.child).registers[SP]);
    system.call(working.client, working.child_control, Label::TcbSuspend.as_raw(), &[]);
    system.kernel.threads[working.child.id()].context.registers.fill(7);
    system.run_service(working.client, working.digest);
    system.finish_work(working.client, FOUND);
    assert_eq!(system.context(working.child).registers, [7; _], "a digest changes nothing");
    system.run_service(working.client, working.reset);
    assert_eq!(system.context(working.child).registers, first);
    assert_eq!(system.kernel.machine.fpu_resets, [working.child.id()]);
}

#[test]
fn a_send_does_not_start_a_service() {
    let working = Working::new();
    let mut system = working.boot();
    let arguments = Arguments { label: RUN, words: &[], caps: &[] };
    for syscall in [Syscall::Send, Syscall::NbSend] {
        system.syscall(working.client, syscall, working.digest, &arguments);
        system.assert_running(working.client);
        assert!(!system.kernel.is_at_work());
    }
    system.yield_slice(working.client);
    assert_eq!(system.kernel.machine.works_begun, []);
}

#[test]
fn a_send_that_also_receives_does_not_start_a_service() {
    for syscall in [Syscall::NbSendRecv, Syscall::NbSendWait] {
        let mut working = Working::new();
        let endpoint = working.plan.endpoint();
        let receive = working.plan.grant(working.client, endpoint.receiver());
        let mut system = working.boot();
        match syscall {
            Syscall::NbSendRecv => system.nb_send_recv(working.client, working.digest, receive, RUN, &[]),
            _ => {
                system.context_mut(working.client).set_reply_cptr(working.digest);
                let arguments = Arguments { label: RUN, words: &[], caps: &[] };
                let wait = working.plan.grant(working.client, endpoint.receiver());
                assert_ne!(wait, receive);
                system.syscall(working.client, syscall, receive, &arguments);
            }
        }
        assert_eq!(system.kernel.machine.works_begun, [], "{syscall:?}");
        assert!(system.kernel.works[working.client.id()].is_none());
    }
}

#[test]
fn a_service_has_one_method() {
    let working = Working::new();
    let mut system = working.boot();
    for label in [0, 1, Label::KeyRead.as_raw(), Label::TcbSuspend.as_raw(), u64::MAX >> 12] {
        system.call(working.client, working.digest, label, &[0; 4]);
        system.assert_refused(working.client, ErrorCode::IllegalOperation, &[]);
    }
    assert_eq!(system.kernel.machine.works_begun, []);
}

#[test]
fn a_reset_is_refused_while_its_target_is_runnable() {
    let working = Working::new();
    let mut system = working.boot();
    system.run_service(working.client, working.reset);
    system.assert_refused(working.client, ErrorCode::IllegalOperation, &[]);
    system.call(working.client, working.child_control, Label::TcbSuspend.as_raw(), &[]);
    system.run_service(working.client, working.reset);
    system.finish_work(working.client, FOUND);
    system.call(working.client, working.child_control, Label::TcbResume.as_raw(), &[]);
    system.run_service(working.client, working.reset);
    system.assert_refused(working.client, ErrorCode::IllegalOperation, &[]);
}

#[test]
fn a_reset_is_refused_while_its_target_waits() {
    let mut working = Working::new();
    let endpoint = working.plan.endpoint();
    let receive = working.plan.grant(working.child, endpoint.receiver());
    let mut system = working.plan.boot_serving(&[(working.child, receive)]);
    system.wait(working.parent, working.wait);
    system.assert_receiving(working.child, endpoint);
    system.run_service(working.client, working.reset);
    system.assert_refused(working.client, ErrorCode::IllegalOperation, &[]);
}

#[test]
fn a_parent_may_reset_a_child_whose_fault_it_handles() {
    let mut family = Family::active(200);
    let reset = family.plan.reset(family.parent, family.child);
    let reset = family.plan.grant(family.parent, Grant::service(reset));
    let mut system = family.boot();
    system.fault(family.child, Family::VM_FAULT);
    system.run_service(family.parent, reset);
    system.finish_work(family.parent, FOUND);
    system.assert_done(family.parent);
    system.assert_calling(family.child);
}

#[test]
fn work_can_be_interrupted() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    system.context_mut(working.client).registers[SP] = 0x5555;
    working.interrupt(&mut system);
    assert!(!system.kernel.is_at_work());
    assert_eq!(system.kernel.machine.space, Space(working.parent.0));
    system.wait(working.parent, working.wait);
    system.assert_at_work(working.client);
    assert_eq!(system.kernel.machine.space, Working::SPACE);
    assert_eq!((system.pc(working.client), system.register(working.client, SP)), (WORK_PC, 0x5555));
    system.finish_work(working.client, FOUND);
    system.assert_message(working.client, 0, 0, &FOUND);
}

#[test]
fn work_shares_the_processor_with_equals_and_is_charged_to_its_caller() {
    let mut working = Working::new();
    let equal = working.plan.thread("equal", 100);
    working.plan.slice(working.client, 30);
    let time = working.plan.sched_context_of(working.client);
    let mut system = working.boot();
    system.pass(10);
    system.run_service(working.client, working.digest);
    system.pass(20);
    system.run_to_timer();
    system.assert_running(equal);
    assert_eq!(system.kernel.consumed(time.id()), 30);
    assert_eq!(system.kernel.threads[working.client.id()].priority, 100);
    system.yield_slice(equal);
    system.assert_at_work(working.client);
    system.pass(7);
    system.finish_work(working.client, FOUND);
    working.interrupt(&mut system);
    assert_eq!(system.kernel.consumed(time.id()), 37);
}

#[test]
fn work_runs_in_the_domain_of_its_caller() {
    let mut working = Working::new();
    let other = working.plan.thread("other", 10);
    working.plan.set_domain(other, 1);
    working.plan.turn(0, 50);
    working.plan.turn(1, 50);
    let mut system = working.boot_at_work();
    system.pass(50);
    system.run_to_timer();
    system.assert_running(other);
    assert_eq!(system.kernel.machine.fpu.holds, Some(other.id()));
    assert!(!system.kernel.is_at_work());
    system.pass(50);
    system.run_to_timer();
    system.assert_at_work(working.client);
    assert!(has_unit(&system, working.client.id().at_work()));
    system.finish_work(working.client, FOUND);
    system.assert_message(working.client, 0, 0, &FOUND);
}

#[test]
fn work_owns_the_unit_under_its_own_id_with_every_policy() {
    for (policy, ..) in FpuPolicy::ALL {
        for options in 0..=FpuOption::ALL {
            let working = Working::new();
            let mut system = working.plan.boot();
            let words = [policy.as_raw(), options];
            system.call(working.parent, working.policy, Label::FpuSetPolicy.as_raw(), &words);
            system.wait(working.parent, working.wait);
            system.run_service(working.client, working.digest);
            let at_work = working.client.id().at_work();
            assert!(has_unit(&system, at_work), "{policy:?} {options}");
            working.interrupt(&mut system);
            system.wait(working.parent, working.wait);
            assert!(has_unit(&system, at_work), "{policy:?} {options} after an interrupt");
            system.finish_work(working.client, FOUND);
            assert_ne!(system.kernel.processor.fpu.owner(), Some(at_work), "{policy:?} {options}");
            assert!(!system.kernel.machine.fpu.is_on || has_unit(&system, working.client.id()));
        }
    }
}

#[test]
fn work_does_not_enable_the_unit_for_its_program() {
    for (policy, ..) in FpuPolicy::ALL {
        let mut working = Working::new();
        working.plan.deny_fpu(working.client);
        let mut system = working.plan.boot();
        let words = [policy.as_raw(), 0];
        system.call(working.parent, working.policy, Label::FpuSetPolicy.as_raw(), &words);
        system.wait(working.parent, working.wait);
        system.run_service(working.client, working.digest);
        assert!(has_unit(&system, working.client.id().at_work()), "{policy:?}");
        system.finish_work(working.client, FOUND);
        assert!(!system.kernel.machine.fpu.is_on, "{policy:?}");
        assert_eq!(fpu_user(&system, working.client), None);
    }
}

#[test]
fn the_policy_may_change_during_work() {
    let working = Working::new();
    for (policy, ..) in FpuPolicy::ALL {
        let mut system = working.boot_at_work();
        working.interrupt(&mut system);
        let words = [policy.as_raw(), 0];
        system.call(working.parent, working.policy, Label::FpuSetPolicy.as_raw(), &words);
        system.wait(working.parent, working.wait);
        system.assert_at_work(working.client);
        assert!(has_unit(&system, working.client.id().at_work()), "{policy:?}");
    }
}

#[test]
fn stopping_a_thread_abandons_its_work_and_restarts_its_call() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    let before = at_syscall(&system, &working);
    working.interrupt(&mut system);
    working.invoke(&mut system, Label::TcbSuspend, &[]);
    system.assert_inactive(working.client);
    assert_abandoned(&system, &working, &before);
    assert_ne!(system.kernel.processor.fpu.owner(), Some(working.client.id().at_work()));
    working.invoke(&mut system, Label::TcbResume, &[]);
    system.wait(working.parent, working.wait);
    system.assert_running(working.client);
    assert_eq!(system.kernel.machine.space, Space(working.client.0));
    assert!(has_unit(&system, working.client.id()));
    system.run_service(working.client, working.digest);
    system.finish_work(working.client, FOUND);
    system.assert_message(working.client, 0, 0, &FOUND);
}

#[test]
fn resuming_a_thread_at_work_changes_nothing() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    working.interrupt(&mut system);
    working.invoke(&mut system, Label::TcbResume, &[]);
    system.wait(working.parent, working.wait);
    system.assert_at_work(working.client);
    assert_eq!(system.kernel.machine.works_begun, [0]);
}

#[test]
fn written_registers_are_those_of_the_program() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    let mut before = at_syscall(&system, &working);
    working.interrupt(&mut system);
    // Without resuming it, and without reaching the stack pointer.
    working.invoke(&mut system, Label::TcbWriteRegisters, &[0, 1, 0x1234]);
    before[PC] = 0x1234;
    assert_abandoned(&system, &working, &before);
    system.wait(working.parent, working.wait);
    system.assert_running(working.client);
    assert_eq!(system.pc(working.client), 0x1234);
    assert!(!system.kernel.is_at_work());
}

#[test]
fn writing_no_registers_still_abandons_work() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    let before = at_syscall(&system, &working);
    working.interrupt(&mut system);
    working.invoke(&mut system, Label::TcbWriteRegisters, &[1, 0]);
    assert_abandoned(&system, &working, &before);
}

#[test]
fn setting_tls_base_or_flags_abandons_work_and_restarts_the_call() {
    for (label, words) in [(Label::TcbSetTlsBase, [0x7000, 0]), (Label::TcbSetFlags, [0, 0])] {
        let working = Working::new();
        let mut system = working.boot_at_work();
        let mut before = at_syscall(&system, &working);
        working.interrupt(&mut system);
        working.invoke(&mut system, label, &words);
        if label == Label::TcbSetTlsBase {
            before[TLS_BASE] = 0x7000;
        }
        assert_abandoned(&system, &working, &before);
    }
}

#[test]
fn disabling_the_unit_for_a_thread_abandons_its_work() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    working.interrupt(&mut system);
    working.invoke(&mut system, Label::TcbSetFlags, &[0, ThreadFlag::FPU_DISABLED]);
    assert!(system.kernel.works[working.client.id()].is_none());
    system.wait(working.parent, working.wait);
    system.assert_running(working.client);
    assert!(!system.kernel.machine.fpu.is_on);
    system.run_service(working.client, working.digest);
    assert!(has_unit(&system, working.client.id().at_work()));
}

#[test]
fn reading_registers_shows_the_program_at_its_system_call() {
    let working = Working::new();
    let mut system = working.boot_at_work();
    let before = at_syscall(&system, &working);
    working.interrupt(&mut system);
    let count = before.len() as u64;
    working.invoke(&mut system, Label::TcbReadRegisters, &[0, count]);
    system.assert_message(working.parent, 0, 0, &before);
    assert!(system.kernel.works[working.client.id()].is_some(), "reading changes nothing");
    working.invoke(&mut system, Label::TcbReadRegisters, &[1, count]);
    system.assert_message(working.parent, 0, 0, &before);
    assert_abandoned(&system, &working, &before);
}

/// A recording does not have the registers that the port saves when work begins.
#[test]
fn reading_registers_during_work_can_be_replayed() {
    let mut working = Working::new();
    working.plan.is_recorded = true;
    let mut system = working.boot_at_work();
    working.interrupt(&mut system);
    let mut words = system.context(working.client).registers.map(|_| 1);
    (words[0], words[1]) = (0, words.len() as u64);
    working.invoke(&mut system, Label::TcbReadRegisters, &words);
    assert_eq!(system.message_word(working.parent, PRESERVED), PRESERVED_VALUE);
    assert_eq!(system.replay().map(|replayed| replayed.events > 2), Ok(true));
}

#[test]
fn invocations_that_do_not_touch_registers_do_not_abandon_work() {
    let mut working = Working::new();
    let endpoint = working.plan.notification();
    let signal = working.plan.grant(working.parent, endpoint.signaller(2));
    working.plan.record(working.client).notification = endpoint.0;
    let mut system = working.boot_at_work();
    working.interrupt(&mut system);
    for (label, priority) in [(Label::TcbSetMcPriority, 95), (Label::TcbSetPriority, 90)] {
        let caps = &[working.control];
        let arguments = Arguments { label: label.as_raw(), words: &[priority], caps };
        system.syscall(working.parent, Syscall::Call, working.control, &arguments);
        system.assert_done(working.parent);
    }
    system.signal(working.parent, signal);
    system.wait(working.parent, working.wait);
    system.assert_at_work(working.client);
    assert_eq!(system.kernel.machine.works_begun, [0]);
    assert_eq!(system.kernel.threads[working.client.id()].priority, 90);
}

#[test]
fn programs_cannot_maintain_caches_at_addresses_of_work() {
    let mut working = Working::new();
    let space = Grant { object: Working::SPACE.0, ..Grant::vspace(working.client) };
    let slot = working.plan.grant(working.client, space);
    let mut system = working.boot();
    system.call(working.client, slot, Label::ArmVspaceCleanData.as_raw(), &[0x1000, 0x2000]);
    system.assert_refused(working.client, ErrorCode::IllegalOperation, &[]);
}

#[test]
fn work_of_a_passive_server_runs_on_its_callers_time() {
    let mut pair = crate::support::Service::passive(200);
    let digest = pair.plan.digest(pair.server);
    let digest = pair.plan.grant(pair.server, Grant::service(digest));
    let time = pair.plan.sched_context_of(pair.client);
    let mut system = pair.boot();
    let before = system.kernel.consumed(time.id());
    system.call(pair.client, pair.call, 5, &[6]);
    system.run_service(pair.server, digest);
    system.pass(30);
    system.finish_work(pair.server, FOUND);
    system.assert_message(pair.server, 0, 0, &FOUND);
    system.reply_recv(pair.server, pair.receive, 0, &FOUND);
    system.assert_running(pair.client);
    system.run_for(2000);
    assert!(system.kernel.consumed(time.id()) >= before + 30);
}

#[test]
fn the_id_at_work_names_the_same_thread() {
    for index in 0..limen_abi::limits::THREADS as u64 {
        let thread = Thread(index).id();
        let at_work = thread.at_work();
        assert_eq!(MessageBuffers::index_of(at_work) as u64, index);
        assert_eq!(at_work.at_work(), at_work);
        assert!(at_work.is_at_work() && !thread.is_at_work() && at_work != thread);
    }
}

#[test]
fn the_end_of_work_without_work_is_ignored() {
    let working = Working::new();
    let mut system = working.boot();
    let before = *system.context(working.client);
    let result = ServiceResult { words: FOUND };
    system.event(Event::WorkDone(result));
    assert_eq!(*system.context(working.client), before);
    system.assert_running(working.client);
}

/// A child at work whose budget ends; its parent handles the timeout.
struct TimedOut {
    family: Family,
    digest: u64,
    /// The parent's slot.
    reset: u64,
}

impl TimedOut {
    fn new() -> Self {
        let mut family = Family::active(200);
        family.plan.share(family.child, 100, 400);
        family.plan.handle_timeouts(family.child, family.endpoint.caller(Family::BADGE));
        let digest = family.plan.digest(family.child);
        let digest = family.plan.grant(family.child, Grant::service(digest));
        let reset = family.plan.reset(family.parent, family.child);
        let reset = family.plan.grant(family.parent, Grant::service(reset));
        Self { family, digest, reset }
    }

    fn boot(&mut self) -> System {
        let mut system = self.family.boot();
        system.follow_specification();
        system.run_service(self.family.child, self.digest);
        system.run_to_timer();
        let words = [0, 100];
        system.assert_message(self.family.parent, Family::BADGE, FaultLabel::Timeout.as_raw(), &words);
        system
    }
}

#[test]
fn work_continues_after_the_end_of_a_budget() {
    let mut timed_out = TimedOut::new();
    let mut system = timed_out.boot();
    let child = timed_out.family.child;
    system.reply_recv(timed_out.family.parent, timed_out.family.receive, 0, &[]);
    assert_eq!(system.state(child), State::Postponed);
    system.run_to_timer();
    system.assert_at_work(child);
    assert_eq!(system.pc(child), WORK_PC);
    system.finish_work(child, FOUND);
    system.assert_message(child, 0, 0, &FOUND);
}

#[test]
fn a_reply_with_a_label_stops_work_where_it_is() {
    let mut timed_out = TimedOut::new();
    let mut system = timed_out.boot();
    let (parent, child) = (timed_out.family.parent, timed_out.family.child);
    let program = *system.program(child);
    system.nb_send_recv(parent, REPLY, timed_out.family.receive, 1, &[]);
    system.assert_inactive(child);
    assert_eq!((*system.program(child), system.pc(child)), (program, WORK_PC));
}

#[test]
fn a_reply_with_registers_abandons_work() {
    let mut timed_out = TimedOut::new();
    let mut system = timed_out.boot();
    let child = timed_out.family.child;
    let mut program = *system.program(child);
    system.reply_recv(timed_out.family.parent, timed_out.family.receive, 0, &[0x1000, 0x2000]);
    assert!(system.kernel.works[child.id()].is_none());
    (program.registers[PC], program.registers[SP]) = (0x1000, 0x2000);
    assert_eq!(*system.context(child), program);
}

#[test]
fn stopping_or_restarting_a_timed_out_child_abandons_its_work() {
    for label in [Label::TcbSuspend, Label::TcbWriteRegisters] {
        let mut timed_out = TimedOut::new();
        let mut system = timed_out.boot();
        let (parent, child) = (timed_out.family.parent, timed_out.family.child);
        let pc = system.program(child).registers[PC];
        system.call(parent, timed_out.family.control, label.as_raw(), &[1, 0]);
        assert!(system.kernel.works[child.id()].is_none());
        assert_eq!(system.pc(child), pc - 4, "{label:?}");
    }
}

#[test]
fn resuming_a_timed_out_child_continues_its_work() {
    let mut timed_out = TimedOut::new();
    let mut system = timed_out.boot();
    let (parent, child) = (timed_out.family.parent, timed_out.family.child);
    system.call(parent, timed_out.family.control, Label::TcbResume.as_raw(), &[]);
    assert!(system.kernel.works[child.id()].is_some());
    assert_eq!(system.pc(child), WORK_PC);
}

#[test]
fn a_reset_abandons_the_work_of_its_target() {
    for is_stopped in [false, true] {
        let mut timed_out = TimedOut::new();
        let mut system = timed_out.boot();
        let (parent, child) = (timed_out.family.parent, timed_out.family.child);
        if is_stopped {
            // A reply with a label stops work where it is.
            system.send(parent, REPLY, 1, &[]);
            system.assert_inactive(child);
        }
        system.run_service(parent, timed_out.reset);
        system.assert_at_work(parent);
        assert!(system.kernel.works[child.id()].is_none());
        assert_eq!(
            (system.kernel.threads[child.id()].space, fpu_user(&system, child)),
            (Space(child.0), Some(child.id()))
        );
        let mut first = [0; _];
        let record = timed_out.family.plan.record(child);
        (first[PC], first[SP]) = (record.entry, record.stack_top);
        assert_eq!(system.context(child).registers, first);
    }
}

#[test]
fn work_without_a_handler_waits_for_the_next_period() {
    let mut working = Working::new();
    working.plan.share(working.client, 100, 400);
    let mut system = working.boot_at_work();
    system.run_to_timer();
    system.assert_running(working.child);
    assert_eq!(system.state(working.client), State::Postponed);
    system.run_to_timer();
    system.assert_at_work(working.client);
    assert_eq!(system.kernel.machine.now, 400);
}

/// A client that probes itself and calls a digest service.
struct Probed {
    system: System,
    working: Working,
    probe: u64,
}

impl Probed {
    /// Creates a client that is armed for an event at any address and has continued.
    fn armed(event: ProbeEvent) -> Self {
        let mut working = Working::new();
        let probe = working.plan.grant(working.client, Grant::probe());
        let mut system = working.boot();
        system.call(working.client, probe, Label::ProbeStart.as_raw(), &[]);
        let words = [event.as_raw(), 0, u64::MAX, ProbeOption::EXIT];
        system.call(working.client, probe, Label::ProbeArm.as_raw(), &words);
        system.assert_done(working.client);
        Self { system, working, probe }
    }

    /// Reads the next sample: valid, event, stamps, interruptions, dropped.
    fn read(&mut self) -> [u64; 6] {
        self.system.call(self.working.client, self.probe, Label::ProbeRead.as_raw(), &[]);
        core::array::from_fn(|at| self.system.message_word(self.working.client, at))
    }

    /// Performs the client's call to the service, through the probes.
    fn call(&mut self) {
        let Working { client, digest, .. } = self.working;
        let number = Syscall::Call.as_raw();
        self.system.context_mut(client).trap(number, digest, MessageInfo::new(RUN, 0));
        self.system.kernel.serve_probed_syscall(number, 901);
        self.system.assert_at_work(client);
    }
}

#[test]
fn events_during_work_are_not_sampled() {
    use ProbeEvent::{Breakpoint, Interrupt, PageFault, Undefined};
    for event in [PageFault, Undefined, Breakpoint, Interrupt] {
        let mut probed = Probed::armed(event);
        let client = probed.working.client;
        probed.system.run_service(client, probed.working.digest);
        let registers = *probed.system.context(client);
        let rest = probed.system.kernel.probe_entry(Some(event), 900);
        assert_eq!(rest, Rest::Serve, "{event:?}");
        assert_eq!(*probed.system.context(client), registers, "the work continues where it was");
        assert_eq!(probed.system.kernel.exit_stamp(), ExitStamp::None);
        probed.system.finish_work(client, FOUND);
        assert_eq!(probed.read()[..6], [0; 6], "{event:?}");
    }
}

#[test]
fn the_return_to_the_program_is_stamped() {
    let mut probed = Probed::armed(ProbeEvent::Syscall);
    probed.call();
    assert_eq!(probed.system.kernel.exit_stamp(), ExitStamp::None, "the work has begun");
    probed.working.interrupt(&mut probed.system);
    assert_eq!(probed.system.kernel.exit_stamp(), ExitStamp::None, "the return of another program");
    probed.system.wait(probed.working.parent, probed.working.wait);
    assert_eq!(probed.system.kernel.exit_stamp(), ExitStamp::None, "the work continues");
    probed.system.finish_work(probed.working.client, FOUND);
    assert_ne!(probed.system.kernel.exit_stamp(), ExitStamp::None);
    assert_eq!(probed.system.kernel.exit_stamp(), ExitStamp::None, "once");
    let sample = probed.read();
    assert_eq!((sample[1], sample[3]), (ProbeEvent::Syscall.as_raw(), 901));
}

#[test]
fn a_restarted_system_call_is_not_stamped() {
    let mut probed = Probed::armed(ProbeEvent::Syscall);
    probed.call();
    probed.working.interrupt(&mut probed.system);
    probed.working.invoke(&mut probed.system, Label::TcbSetTlsBase, &[0x7000]);
    probed.system.wait(probed.working.parent, probed.working.wait);
    probed.system.assert_running(probed.working.client);
    assert_eq!(probed.system.kernel.exit_stamp(), ExitStamp::None, "the return restarts the call");
}

#[test]
fn work_is_charged_in_images_that_measure_utilisation() {
    let mut working = Working::new();
    working.plan.writer.options |= Options::MEASURE_UTILISATION;
    let client = working.client;
    let mut system = working.plan.boot();
    let mut trap = |thread: Thread, syscall: Syscall, slot, label| {
        system.context_mut(thread).trap(syscall.as_raw(), slot, MessageInfo::new(label, 0));
        system.kernel.handle(Event::Syscall(syscall.as_raw()));
    };
    trap(working.parent, Syscall::Wait, working.wait, 0);
    trap(client, Syscall::Call, working.digest, RUN);
    assert!(system.kernel.is_at_work());
    assert_eq!(system.kernel.machine.space, Working::SPACE);
    assert!(has_unit(&system, client.id().at_work()));
    let rest = system.kernel.probe_entry(Some(ProbeEvent::PageFault), 1);
    assert_eq!(rest, Rest::Serve);
    let result = ServiceResult { words: FOUND };
    system.kernel.handle(Event::WorkDone(result));
    assert!(!system.kernel.is_at_work());
    system.assert_message(client, 0, 0, &FOUND);
    assert_eq!(system.kernel.machine.space, Space(client.0));
    assert!(has_unit(&system, client.id()));
}
