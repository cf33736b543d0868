//! Probes: which events of which programs are sampled, and which returns are stamped.

use std::sync::atomic::Ordering;

use limen_abi::limits::PROBE_SAMPLES;
use limen_abi::probe::{ProbeEvent, ProbeOption, ProbeWord};
use limen_abi::ring::LINE_WORDS;
use limen_abi::{ErrorCode, Label, MessageInfo, Syscall};
use limen_core::kernel::SampleRings;
use limen_core::machine::{Context, Machine};
use limen_core::object::probe::{ExitStamp, Rest};
use limen_image::Rights;

use proptest::prelude::*;

use crate::support::{Grant, PC, Plan, STAMP, System, Thread, random_config};

const FIRST: u64 = 0x4000;
const LAST: u64 = 0x4010;

/// A parent that probes itself, and a child that may probe itself, too.
struct Probing {
    system: System,
    parent: Thread,
    child: Thread,
    control: u64,
    slots: [u64; 2],
}

impl Probing {
    fn new() -> Self {
        Self::of(|_, _| ())
    }

    fn of(change: impl Fn(&mut Plan, [Thread; 2])) -> Self {
        let mut plan = Plan::new();
        let [parent, child] = ["parent", "child"].map(|name| plan.thread(name, 50));
        change(&mut plan, [parent, child]);
        let slots = [parent, child].map(|thread| plan.grant(thread, Grant::probe()));
        let control = plan.grant(parent, child.control());
        Self { system: plan.boot(), parent, child, control, slots }
    }

    fn started() -> Self {
        let mut probing = Self::new();
        assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
        probing
    }

    fn invoke(&mut self, label: Label, words: &[u64]) -> Option<ErrorCode> {
        self.system.call(self.parent, self.slots[0], label.as_raw(), words);
        ErrorCode::from_raw(self.system.context(self.parent).info().label())
    }

    fn arm(&mut self, event: ProbeEvent, options: u64) {
        let words = [event.as_raw(), FIRST, LAST, options];
        assert_eq!(self.invoke(Label::ProbeArm, &words), Some(ErrorCode::NoError));
    }

    /// Reads the next sample: valid, event, stamps, interruptions, dropped. Checks the word on page tables.
    fn read(&mut self) -> [u64; 6] {
        assert_eq!(self.invoke(Label::ProbeRead, &[]), Some(ErrorCode::NoError));
        assert_eq!(self.system.message_word(self.parent, ProbeWord::PAGE_TABLE_SWITCH), 1);
        core::array::from_fn(|at| self.system.message_word(self.parent, at))
    }

    /// The running thread traps at this address with this stamp of its own; the kernel's stamp is 900.
    fn trap(&mut self, thread: Thread, event: Option<ProbeEvent>, pc: u64, stamp: u64) -> Rest {
        let context = self.system.context_mut(thread);
        context.set_register(PC, pc);
        context.set_register(STAMP, stamp);
        self.system.kernel.probe_entry(event, 900)
    }

    fn is_stamped(&mut self) -> bool {
        self.system.kernel.exit_stamp() != ExitStamp::None
    }
}

#[test]
fn an_armed_event_is_sampled_once_and_its_return_is_stamped() {
    for event in [ProbeEvent::PageFault, ProbeEvent::Undefined, ProbeEvent::Breakpoint] {
        let mut probing = Probing::started();
        let parent = probing.parent;
        probing.arm(event, ProbeOption::EXIT);
        assert!(!probing.is_stamped(), "the return from arming");
        assert_eq!(probing.trap(parent, Some(event), FIRST, 7), Rest::Return);
        assert_eq!(probing.system.pc(parent), LAST);
        assert_eq!((probing.is_stamped(), probing.is_stamped()), (true, false));
        assert_eq!(probing.trap(parent, Some(event), FIRST, 8), Rest::Serve, "no longer armed");
        assert!(!probing.is_stamped());
        assert_eq!(probing.read(), [1, event.as_raw(), 7, 900, 0, 0]);
        assert_eq!(probing.read(), [0; 6]);
    }
}

/// Otherwise it could fault repeatedly and keep what its faults should wipe.
#[test]
fn a_fault_that_wipes_is_delivered_and_not_sampled() {
    for event in [ProbeEvent::PageFault, ProbeEvent::Undefined, ProbeEvent::Breakpoint] {
        let mut probing = Probing::of(|plan, [parent, _]| {
            plan.wipe_by_fault(parent);
        });
        assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
        probing.arm(event, ProbeOption::EXIT);
        assert_eq!(probing.trap(probing.parent, Some(event), FIRST, 7), Rest::Serve);
        assert_eq!(probing.system.pc(probing.parent), FIRST);
    }
}

#[test]
fn a_return_is_stamped_only_on_request() {
    let mut probing = Probing::started();
    probing.arm(ProbeEvent::Undefined, 0);
    assert_eq!(probing.trap(probing.parent, Some(ProbeEvent::Undefined), LAST, 0), Rest::Return);
    assert!(!probing.is_stamped());
}

#[test]
fn the_program_selects_the_kind_of_stamp() {
    let stamps = [ExitStamp::None, ExitStamp::Plain, ExitStamp::Serialised];
    for (options, stamp) in [0, ProbeOption::EXIT, ProbeOption::EXIT_SERIALISED].into_iter().zip(stamps) {
        let mut probing = Probing::started();
        probing.arm(ProbeEvent::Breakpoint, options);
        assert_eq!(probing.trap(probing.parent, Some(ProbeEvent::Breakpoint), FIRST, 0), Rest::Return);
        assert_eq!(probing.system.kernel.exit_stamp(), stamp);
    }
}

#[test]
fn an_interrupt_is_sampled_and_handled() {
    let mut probing = Probing::started();
    probing.arm(ProbeEvent::Interrupt, ProbeOption::EXIT);
    assert_eq!(probing.trap(probing.parent, Some(ProbeEvent::Interrupt), FIRST, u64::MAX), Rest::Serve);
    assert_eq!(probing.system.pc(probing.parent), LAST);
    assert!(probing.is_stamped());
    assert_eq!(probing.read(), [1, ProbeEvent::Interrupt.as_raw(), u64::MAX, 900, 0, 0]);
}

#[test]
fn other_events_and_other_code_are_interruptions() {
    let mut probing = Probing::started();
    let parent = probing.parent;
    probing.arm(ProbeEvent::PageFault, ProbeOption::EXIT);
    for (event, pc) in [
        (None, FIRST),
        (Some(ProbeEvent::Interrupt), FIRST),
        (Some(ProbeEvent::PageFault), FIRST - 4),
        (Some(ProbeEvent::PageFault), LAST + 4),
    ] {
        assert_eq!(probing.trap(parent, event, pc, 1), Rest::Serve);
        assert_eq!((probing.system.pc(parent), probing.is_stamped()), (pc, false));
    }
    assert_eq!(probing.trap(parent, Some(ProbeEvent::PageFault), FIRST, 2), Rest::Return);
    assert_eq!(probing.read(), [1, ProbeEvent::PageFault.as_raw(), 2, 900, 4, 0]);
}

#[test]
fn entries_after_the_return_are_reported() {
    let mut probing = Probing::started();
    let parent = probing.parent;
    let after = |probing: &mut Probing| {
        // The port does this for each system call while any program probes.
        let entry = probing.system.kernel.probe_entry(Some(ProbeEvent::Syscall), 950);
        assert_eq!(entry, Rest::Serve);
        probing.read();
        probing.system.message_word(parent, ProbeWord::INTERRUPTIONS_AFTER)
    };
    probing.arm(ProbeEvent::Undefined, ProbeOption::EXIT);
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Undefined), FIRST, 1), Rest::Return);
    assert!(probing.is_stamped());
    assert_eq!(after(&mut probing), 0);
    probing.arm(ProbeEvent::Undefined, ProbeOption::EXIT);
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Undefined), FIRST, 1), Rest::Return);
    assert!(probing.is_stamped());
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Interrupt), FIRST, 1), Rest::Serve);
    assert_eq!(after(&mut probing), 1);
}

#[test]
fn events_of_other_programs_are_not_sampled() {
    let mut probing = Probing::started();
    let (parent, child) = (probing.parent, probing.child);
    probing.arm(ProbeEvent::PageFault, ProbeOption::EXIT);
    probing.system.yield_slice(parent);
    assert_eq!(probing.trap(child, Some(ProbeEvent::PageFault), FIRST, 1), Rest::Serve);
    assert!(!probing.is_stamped());
    probing.system.yield_slice(child);
    assert_eq!(probing.read(), [0; 6]);
    assert_eq!(probing.trap(parent, Some(ProbeEvent::PageFault), FIRST, 2), Rest::Return);
    probing.system.yield_slice(parent);
    assert!(!probing.is_stamped(), "the return of another program");
    probing.system.yield_slice(child);
    assert!(probing.is_stamped());
}

#[test]
fn a_system_call_is_sampled_and_handled() {
    let mut probing = Probing::started();
    let parent = probing.parent;
    probing.arm(ProbeEvent::Syscall, ProbeOption::EXIT);
    let number = Syscall::Yield.as_raw();
    probing.system.context_mut(parent).trap(number, 0, MessageInfo::new(0, 0));
    probing.system.kernel.serve_probed_syscall(number, 901);
    assert_eq!(probing.system.current(), Some(probing.child));
    assert!(!probing.is_stamped());
    probing.system.yield_slice(probing.child);
    assert!(probing.is_stamped());
    assert_eq!(probing.read()[3], 901);
}

/// Of a program with a handler, without one, and with one that cannot reply. On x86_64, a stamp would replace the number of
/// the system call.
#[test]
fn a_system_call_that_faults_restarts_without_a_stamp() {
    for rights in [Some(Rights::SEND | Rights::GRANT_REPLY), None, Some(Rights::SEND)] {
        let mut plan = Plan::new();
        let [parent, child, handler] = [("parent", 50), ("child", 50), ("handler", 60)]
            .map(|(name, priority)| plan.thread(name, priority));
        let endpoint = plan.endpoint();
        rights.into_iter().for_each(|rights| plan.handle_faults(child, endpoint.with(0, rights)));
        let receive = plan.grant(handler, endpoint.receiver());
        let control = plan.grant(parent, child.control());
        let probe = plan.grant(child, Grant::probe());
        let mut system = plan.boot();
        system.recv(handler, receive);
        system.yield_slice(parent);
        system.call(child, probe, Label::ProbeStart.as_raw(), &[]);
        let words = [ProbeEvent::Syscall.as_raw(), 0, u64::MAX, ProbeOption::EXIT];
        system.call(child, probe, Label::ProbeArm.as_raw(), &words);
        let before = system.pc(child);
        system.context_mut(child).trap(77, 0, MessageInfo::new(0, 0));
        system.kernel.serve_probed_syscall(77, 901);
        if rights.is_some() {
            system.recv(handler, receive);
        }
        system.call(parent, control, Label::TcbResume.as_raw(), &[]);
        system.yield_slice(parent);
        system.assert_running(child);
        assert_eq!(system.pc(child), before);
        assert_eq!(system.kernel.exit_stamp(), ExitStamp::None, "{rights:?}");
    }
}

/// A call that no reply can reach is delivered, and stops its caller.
#[test]
fn a_call_without_the_right_to_a_reply_restarts_without_a_stamp() {
    let mut plan = Plan::new();
    let [parent, child, server] =
        [("parent", 50), ("child", 50), ("server", 60)].map(|(name, priority)| plan.thread(name, priority));
    let endpoint = plan.endpoint();
    let receive = plan.grant(server, endpoint.receiver());
    let control = plan.grant(parent, child.control());
    let [probe, call] =
        [Grant::probe(), endpoint.with(0, Rights::SEND)].map(|grant| plan.grant(child, grant));
    let mut system = plan.boot();
    system.recv(server, receive);
    system.yield_slice(parent);
    system.call(child, probe, Label::ProbeStart.as_raw(), &[]);
    let words = [ProbeEvent::Syscall.as_raw(), 0, u64::MAX, ProbeOption::EXIT];
    system.call(child, probe, Label::ProbeArm.as_raw(), &words);
    let number = Syscall::Call.as_raw();
    system.context_mut(child).trap(number, call, MessageInfo::new(0, 0));
    system.kernel.serve_probed_syscall(number, 901);
    system.recv(server, receive);
    system.call(parent, control, Label::TcbResume.as_raw(), &[]);
    system.yield_slice(parent);
    system.assert_running(child);
    assert_eq!(system.kernel.exit_stamp(), ExitStamp::None);
}

#[test]
fn dropped_samples_are_counted() {
    let mut probing = Probing::started();
    for stamp in 0..PROBE_SAMPLES as u64 + 2 {
        probing.arm(ProbeEvent::Undefined, 0);
        assert_eq!(probing.trap(probing.parent, Some(ProbeEvent::Undefined), FIRST, stamp), Rest::Return);
    }
    for stamp in 0..PROBE_SAMPLES as u64 {
        assert_eq!(probing.read(), [1, ProbeEvent::Undefined.as_raw(), stamp, 900, 0, 2]);
    }
    assert_eq!(probing.read(), [0, 0, 0, 0, 0, 2]);
}

/// Options of an event that stays armed, with the stamp of the return.
const EVERY: u64 = ProbeOption::EVERY | ProbeOption::EXIT;

#[test]
fn an_event_stays_armed_on_request() {
    let mut probing = Probing::started();
    let parent = probing.parent;
    probing.arm(ProbeEvent::Undefined, EVERY);
    for stamp in 1..4 {
        assert!(!probing.is_stamped());
        assert_eq!(
            probing.trap(parent, Some(ProbeEvent::Undefined), LAST + 4, 99),
            Rest::Serve,
            "other code"
        );
        assert_eq!(
            probing.trap(parent, Some(ProbeEvent::Interrupt), FIRST, 99),
            Rest::Serve,
            "another event"
        );
        assert_eq!(probing.trap(parent, Some(ProbeEvent::Undefined), FIRST, stamp), Rest::Return);
        assert_eq!(probing.system.pc(parent), LAST);
        assert_eq!((probing.is_stamped(), probing.is_stamped()), (true, false));
    }
    for stamp in 1..4 {
        assert_eq!(probing.read(), [1, ProbeEvent::Undefined.as_raw(), stamp, 900, 2, 0]);
    }
    assert_eq!(probing.read(), [0; 6]);
    // Another arming ends it.
    probing.arm(ProbeEvent::Breakpoint, 0);
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Undefined), FIRST, 1), Rest::Serve);
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Breakpoint), FIRST, 1), Rest::Return);
    assert!(!probing.is_stamped());
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Breakpoint), FIRST, 1), Rest::Serve);
}

/// Otherwise calls outside of the named code would lose registers.
#[test]
fn system_calls_stay_armed_only_in_the_named_code() {
    let mut probing = Probing::started();
    let parent = probing.parent;
    let call = |probing: &mut Probing, pc| {
        let number = Syscall::NbSend.as_raw();
        probing.system.context_mut(parent).trap(number, 0, MessageInfo::new(0, 0));
        probing.system.context_mut(parent).set_register(PC, pc);
        probing.system.kernel.serve_probed_syscall(number, 901);
        assert_eq!(probing.system.pc(parent), pc);
        probing.is_stamped()
    };
    probing.arm(ProbeEvent::Syscall, EVERY);
    let stamps: Vec<bool> =
        [FIRST, FIRST - 4, LAST, LAST + 4, FIRST].into_iter().map(|pc| call(&mut probing, pc)).collect();
    assert_eq!(stamps, [true, false, true, false, true]);
    // An arming for one system call counts anywhere.
    probing.arm(ProbeEvent::Syscall, ProbeOption::EXIT);
    assert_eq!([FIRST - 4, FIRST].map(|pc| call(&mut probing, pc)), [true, false]);
}

#[test]
fn stopping_ends_an_arming_for_every_event() {
    let mut probing = Probing::started();
    let parent = probing.parent;
    probing.arm(ProbeEvent::Syscall, EVERY);
    // The request to stop is itself the event, and its return is not stamped.
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Syscall), FIRST, 3), Rest::Serve);
    assert_eq!(probing.invoke(Label::ProbeStop, &[]), Some(ErrorCode::NoError));
    assert!(!probing.is_stamped());
    assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Syscall), FIRST, 3), Rest::Serve);
    assert!(!probing.is_stamped());
    assert_eq!(probing.read(), [0; 6]);
}

/// The words of a line of the first ring.
fn line(system: &System, line: usize) -> [u64; LINE_WORDS] {
    let id = SampleRings::id(0).expect("a ring");
    system.kernel.machine.sample_rings()[id].lines[line].each_ref().map(|word| word.load(Ordering::Relaxed))
}

/// A parent without a ring, and a child that has one.
fn with_ring() -> Probing {
    let mut probing = Probing::of(|plan, [_, child]| plan.sample_ring(child));
    probing.system.yield_slice(probing.parent);
    std::mem::swap(&mut probing.parent, &mut probing.child);
    probing.slots.swap(0, 1);
    probing
}

#[test]
fn samples_go_to_the_ring_of_the_program() {
    const UNDEFINED: u64 = ProbeEvent::Undefined.as_raw();
    let mut probing = with_ring();
    let child = probing.parent;
    assert_eq!(line(&probing.system, 0), [0; 8], "nothing before the start");
    assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
    assert_eq!(line(&probing.system, 0), [0, 63, 1, 0, 0, 0, 0, 0]);
    probing.arm(ProbeEvent::Undefined, EVERY);
    for stamp in 0..64 {
        assert_eq!(probing.trap(child, None, FIRST, 0), Rest::Serve);
        assert_eq!(probing.trap(child, Some(ProbeEvent::Undefined), FIRST, stamp), Rest::Return);
        assert!(probing.is_stamped());
    }
    assert_eq!(line(&probing.system, 0), [64, 63, 1, 0, 0, 0, 0, 0]);
    assert_eq!(line(&probing.system, 1), [64, UNDEFINED, 63, 900, 1, 0, 0, 0], "in place of the oldest");
    assert_eq!(line(&probing.system, 2), [2, UNDEFINED, 1, 900, 1, 0, 0, 0]);
    assert_eq!(line(&probing.system, 63), [63, UNDEFINED, 62, 900, 1, 0, 0, 0]);
    assert_eq!(probing.read(), [0; 6], "the samples are in the ring alone");
    // They stay there after a stop, until the next start.
    assert_eq!(probing.invoke(Label::ProbeStop, &[]), Some(ErrorCode::NoError));
    assert_eq!(line(&probing.system, 0)[0], 64);
    assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
    assert_eq!(line(&probing.system, 0), [0, 63, 1, 0, 0, 0, 0, 0]);
    assert!((1..64).all(|at| line(&probing.system, at) == [0; 8]));
    probing.arm(ProbeEvent::Undefined, 0);
    assert_eq!(probing.trap(child, Some(ProbeEvent::Undefined), FIRST, 5), Rest::Return);
    assert_eq!(line(&probing.system, 1), [1, UNDEFINED, 5, 900, 0, 0, 0, 0]);
}

#[test]
fn a_ring_is_for_its_own_program() {
    let mut probing = with_ring();
    let (child, parent) = (probing.parent, probing.child);
    assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
    probing.arm(ProbeEvent::Undefined, EVERY);
    probing.system.yield_slice(child);
    std::mem::swap(&mut probing.parent, &mut probing.child);
    probing.slots.swap(0, 1);
    assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
    probing.arm(ProbeEvent::Undefined, EVERY);
    assert_eq!(probing.trap(parent, Some(ProbeEvent::Undefined), FIRST, 8), Rest::Return);
    assert_eq!(probing.read(), [1, ProbeEvent::Undefined.as_raw(), 8, 900, 0, 0]);
    assert_eq!(line(&probing.system, 0)[0], 0);
    // Stopping the child ends its arming, and leaves its samples.
    let control = probing.control;
    probing.system.call(parent, control, Label::TcbSuspend.as_raw(), &[]);
    assert!(!probing.system.kernel.probes[child.id()].is_on());
}

#[test]
fn requests_out_of_order_or_range_are_refused() {
    let mut probing = Probing::new();
    for label in [Label::ProbeStop, Label::ProbeArm, Label::ProbeRead, Label::KeyRead] {
        assert_eq!(probing.invoke(label, &[0; 4]), Some(ErrorCode::IllegalOperation));
    }
    assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::NoError));
    assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(ErrorCode::IllegalOperation));
    assert_eq!(probing.invoke(Label::ProbeArm, &[0; 3]), Some(ErrorCode::TruncatedMessage));
    assert_eq!(probing.invoke(Label::ProbeArm, &[5, 0, 0, 0]), Some(ErrorCode::RangeError));
    for options in [3, 7, 8, ProbeOption::EVERY | 1 << 63] {
        assert_eq!(probing.invoke(Label::ProbeArm, &[0, 0, 0, options]), Some(ErrorCode::RangeError));
    }
}

#[test]
fn traps_pass_the_probes_while_any_program_probes() {
    for label in [Label::TcbSuspend, Label::TcbWriteRegisters] {
        let mut probing = Probing::started();
        probing.system.yield_slice(probing.parent);
        probing.system.call(probing.child, probing.slots[1], Label::ProbeStart.as_raw(), &[]);
        probing.system.yield_slice(probing.child);
        assert_eq!(probing.invoke(Label::ProbeStop, &[]), Some(ErrorCode::NoError));
        assert_eq!(probing.system.kernel.machine.probing, [true]);
        probing.system.call(probing.parent, probing.control, label.as_raw(), &[1, 1, 0x4000]);
        assert_eq!(
            probing.system.kernel.machine.probing,
            [true, false],
            "{label:?} ends the other program's probe"
        );
    }
}

#[test]
fn a_restarted_system_call_is_not_stamped() {
    let mut plan = Plan::new();
    let [parent, child] = ["parent", "child"].map(|name| plan.thread(name, 50));
    let probe = plan.grant(child, Grant::probe());
    let control = plan.grant(parent, child.control());
    let notification = plan.notification();
    let wait = plan.grant(child, notification.waiter());
    let mut system = plan.boot();
    system.yield_slice(parent);
    system.call(child, probe, Label::ProbeStart.as_raw(), &[]);
    let words = [ProbeEvent::Syscall.as_raw(), 0, u64::MAX, ProbeOption::EXIT];
    system.call(child, probe, Label::ProbeArm.as_raw(), &words);
    let number = Syscall::Wait.as_raw();
    system.context_mut(child).trap(number, wait, MessageInfo::new(0, 0));
    system.kernel.serve_probed_syscall(number, 901);
    system.assert_waiting(child, notification);
    system.call(parent, control, Label::TcbResume.as_raw(), &[]);
    system.yield_slice(parent);
    system.assert_running(child);
    assert_eq!(system.kernel.exit_stamp(), ExitStamp::None, "the return restarts the call");
}

/// An action of a program with a probe, or an event.
#[derive(Clone, Copy, Debug)]
enum Step {
    Start,
    Stop,
    /// The event, and the options.
    Arm(ProbeEvent, u64),
    /// The event, and the program counter.
    Trap(Option<ProbeEvent>, u64),
    Leave,
    Read,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let event = || prop::sample::select(ProbeEvent::ALL.iter().map(|(event, ..)| *event).collect::<Vec<_>>());
    let pcs = [FIRST - 4, FIRST, FIRST, LAST, LAST + 4];
    let step = prop_oneof![
        1 => Just(Step::Start),
        1 => Just(Step::Stop),
        4 => (event(), 0..8u64).prop_map(|(event, options)| Step::Arm(event, options)),
        12 => (prop::option::of(event()), prop::sample::select(pcs.to_vec()))
            .prop_map(|(event, pc)| Step::Trap(event, pc)),
        8 => Just(Step::Leave),
        2 => Just(Step::Read),
    ];
    prop::collection::vec(step, 1..200)
}

/// A probe, in the words of the book: `None` is off.
#[derive(Default)]
struct Model {
    is_on: bool,
    /// The event and options, and the interruptions since.
    armed: Option<(ProbeEvent, u64, u64)>,
    /// The event and options of an event whose return is to come.
    leaving: Option<(ProbeEvent, u64)>,
    /// Event, stamp and interruptions of each sample since the start.
    samples: Vec<[u64; 3]>,
    read: usize,
    dropped: u64,
}

impl Model {
    fn arm(&mut self, event: ProbeEvent, options: u64) -> ErrorCode {
        if !self.is_on {
            return ErrorCode::IllegalOperation;
        }
        if options & 3 == 3 {
            return ErrorCode::RangeError;
        }
        (self.armed, self.leaving) = (Some((event, options, 0)), None);
        ErrorCode::NoError
    }

    /// Returns whether the trap is the event.
    fn trap(&mut self, event: Option<ProbeEvent>, pc: u64, stamp: u64, has_ring: bool) -> bool {
        let Some((armed, options, interruptions)) = &mut self.armed else { return false };
        let is_anywhere = *armed == ProbeEvent::Syscall && *options & ProbeOption::EVERY == 0;
        if event != Some(*armed) || !(is_anywhere || (FIRST..=LAST).contains(&pc)) {
            *interruptions += 1;
            return false;
        }
        if has_ring || self.samples.len() - self.read < PROBE_SAMPLES {
            self.samples.push([armed.as_raw(), stamp, *interruptions]);
        } else {
            self.dropped += 1;
        }
        self.leaving = Some((*armed, *options));
        self.armed = None;
        true
    }

    fn leave(&mut self) -> ExitStamp {
        let Some((event, options)) = self.leaving.take() else { return ExitStamp::None };
        if options & ProbeOption::EVERY != 0 {
            self.armed = Some((event, options, 0));
        }
        [ExitStamp::None, ExitStamp::Plain, ExitStamp::Serialised][(options & 3) as usize]
    }
}

fn follows_the_model(mut probing: Probing, has_ring: bool, steps: &[Step]) {
    let program = probing.parent;
    let mut model = Model::default();
    for (step, stamp) in steps.iter().zip(1..) {
        match *step {
            Step::Start => {
                let expected = if model.is_on { ErrorCode::IllegalOperation } else { ErrorCode::NoError };
                assert_eq!(probing.invoke(Label::ProbeStart, &[]), Some(expected));
                if !model.is_on {
                    model = Model { is_on: true, ..Model::default() };
                }
            }
            Step::Stop => {
                let expected = if model.is_on { ErrorCode::NoError } else { ErrorCode::IllegalOperation };
                assert_eq!(probing.invoke(Label::ProbeStop, &[]), Some(expected));
                (model.is_on, model.armed, model.leaving) = (false, None, None);
            }
            Step::Arm(event, options) => {
                let words = [event.as_raw(), FIRST, LAST, options];
                let expected = model.arm(event, options);
                assert_eq!(probing.invoke(Label::ProbeArm, &words), Some(expected));
            }
            Step::Trap(event, pc) => {
                let rest = probing.trap(program, event, pc, stamp);
                let is_sampled = model.trap(event, pc, stamp, has_ring);
                let is_fault = event.is_some_and(ProbeEvent::is_fault);
                assert_eq!(rest == Rest::Return, is_sampled && is_fault);
                let goes_on = is_sampled && event != Some(ProbeEvent::Syscall);
                assert_eq!(probing.system.pc(program), if goes_on { LAST } else { pc });
            }
            Step::Leave => assert_eq!(probing.system.kernel.exit_stamp(), model.leave()),
            Step::Read if model.is_on => {
                let next = model.samples.get(model.read).filter(|_| !has_ring);
                let expected = next
                    .map_or([0; 5], |[event, user, interruptions]| [1, *event, *user, 900, *interruptions]);
                model.read += usize::from(next.is_some());
                let words = probing.read();
                assert_eq!((&words[..5], words[5]), (&expected[..], model.dropped));
            }
            Step::Read => {
                assert_eq!(probing.invoke(Label::ProbeRead, &[]), Some(ErrorCode::IllegalOperation));
            }
        }
        if has_ring && stamp % 16 == 0 {
            check_ring(&probing.system, &model);
        }
    }
}

/// The ring has the last 63 samples, each in its place.
fn check_ring(system: &System, model: &Model) {
    assert_eq!(line(system, 0)[0], model.samples.len() as u64);
    for (number, [event, user, interruptions]) in model.samples.iter().enumerate().rev().take(63) {
        let expected = [number as u64 + 1, *event, *user, 900, *interruptions, 0, 0, 0];
        assert_eq!(line(system, 1 + number % 63), expected);
    }
}

proptest! {
    #![proptest_config(random_config(200))]

    #[test]
    fn probes_follow_the_model(steps in steps()) {
        follows_the_model(Probing::new(), false, &steps);
        follows_the_model(with_ring(), true, &steps);
    }
}
