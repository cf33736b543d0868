//! The operations of a running thread in the model.

use limen_abi::fpu::{FpuOption, ThreadFlag};
use limen_abi::probe::ProbeOption;
use limen_abi::{FpuPolicy, Label, ProbeEvent, Syscall, slot};
use limen_core::event::Event;

use crate::support::{Arguments, Family, Interrupt, REPLY, System, Thread};

/// Each thread's slot for the endpoint, with all rights: that of its event loop, which fast paths need.
pub(super) const ENDPOINT: u64 = slot::INPUT;
/// The slot of a server in a chain for the endpoint of the next one.
pub(super) const NEXT_ENDPOINT: u64 = 300;
/// Each thread's slot for the notification, with all rights.
pub(super) const NOTIFICATION: u64 = 301;
/// Each thread's slot for the spare scheduling context.
pub(super) const SPARE_TIME: u64 = 302;
/// Each thread's slot for scheduling control, in the model with shares.
pub(super) const CONTROL: u64 = 310;
/// Each thread's slot for the static key, in the models with one.
pub(super) const KEY: u64 = 311;
/// Each thread's slot for its probe, in the same models.
pub(super) const PROBE: u64 = 312;
/// Each thread's slot for its service, in the models with one.
pub(super) const SERVICE: u64 = 313;
/// Each thread's slot for the key of its group, in the model with static keys.
pub(super) const GROUP_KEY: u64 = 314;
/// Each thread's slots for the policy and the counters of the floating-point unit, in the model with policies.
pub(super) const FPU_POLICY: u64 = 315;
/// See [`FPU_POLICY`].
pub(super) const FPU_COUNTERS: u64 = 316;
/// Each thread's slot for the second notification, in the model with two.
pub(super) const SECOND_NOTIFICATION: u64 = 317;
/// Each thread's slot for the first interrupt, in the model with two; the other follows.
pub(super) const FIRST_INTERRUPT: u64 = 318;
/// Each thread's slot for the first thread; the others follow.
pub(super) const FIRST_THREAD: u64 = 303;

/// Whether an interrupt of the timer comes when it is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timer {
    /// It does.
    Punctual,
    /// It comes later.
    Late,
}

/// How long a thread runs at a time.
const STEP: u64 = 20;

/// An operation of the running thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// Call the endpoint.
    Call,
    /// Call the endpoint of the next server.
    CallNext,
    /// Send to the endpoint.
    Send,
    /// Send to the endpoint if a thread waits there.
    NbSend,
    /// Receive from the endpoint.
    Recv,
    /// Receive from the endpoint if a sender waits there.
    NbRecv,
    /// Receive from the endpoint without a reply object.
    Wait,
    /// Reply by Send.
    ReplyBySend,
    /// Reply and receive from the endpoint.
    ReplyRecv,
    /// Send to the endpoint and receive from it; may donate time.
    SendRecv,
    /// Signal and receive from the endpoint.
    SignalRecv,
    /// Send to the endpoint and wait for a signal; may donate time.
    SendWait,
    /// Signal.
    Signal,
    /// Wait for a signal.
    WaitSignal,
    /// Poll for a signal.
    PollSignal,
    /// Fault.
    Fault,
    /// Use up the slice.
    EndSlice,
    /// Run for some time, or idle; the timer fires if it is due, or is late.
    Run(Timer),
    /// Give up the slice, or what a share has now.
    Yield,
    /// Reply to a fault with a label that stops the thread, and receive.
    ReplyStop,
    /// Make the time in the slot of the spare time a share, or a slice: the words of the request.
    Configure([u64; 5]),
    /// Stop a thread.
    Suspend(u64),
    /// Resume a thread.
    Resume(u64),
    /// Restart a thread at its entry.
    Restart(u64),
    /// Bind the spare time to a thread.
    BindThread(u64),
    /// Bind the spare time to the notification.
    BindNotification,
    /// Unbind the spare time.
    Unbind,
    /// Unbind the spare time from a thread.
    UnbindThread(u64),
    /// Turn the static key on.
    Enable,
    /// Turn it off.
    Disable,
    /// Hold the key of its group once more, at most twice.
    IncGroup,
    /// Release a hold of the key of its group.
    DecGroup,
    /// Read the key of its group.
    ReadGroup,
    /// Set the policy of the floating-point unit and its options.
    SetPolicy([u64; 2]),
    /// Read the counters of the floating-point unit.
    ReadCounters,
    /// Use the floating-point unit, which is off.
    UseFpu,
    /// Clear and set the flags of a thread, which may then use the unit or not.
    SetFlags(u64, [u64; 2]),
    /// Signal the second notification.
    SignalSecond,
    /// Wait for the second notification.
    WaitSecond,
    /// Start probing.
    StartProbe,
    /// Stop probing.
    StopProbe,
    /// Arm an event: the words of the request.
    Arm([u64; 4]),
    /// Read a sample.
    ReadProbe,
    /// Begin the work of a service.
    Work,
    /// Finish the work of a service.
    FinishWork,
    /// A device interrupts, also while the processor idles.
    Interrupt(u64),
    /// Acknowledge an interrupt.
    Acknowledge(u64),
    /// Reply with a label but without words, and receive.
    ReplyEmpty(u64),
}

/// The operations in models without spare time.
pub(super) const MESSAGES: &[Operation] = {
    use Operation::*;
    &[
        Call,
        Send,
        NbSend,
        Recv,
        NbRecv,
        Wait,
        ReplyBySend,
        ReplyRecv,
        SendRecv,
        SignalRecv,
        SendWait,
        Signal,
        WaitSignal,
        PollSignal,
        Fault,
        EndSlice,
        Suspend(0),
        Suspend(1),
        Suspend(2),
        Resume(0),
        Resume(1),
        Resume(2),
        Restart(0),
        Restart(1),
        Restart(2),
    ]
};

/// Operations of a thread in the model with two notifications.
pub(super) const SIGNALS: &[Operation] = {
    use Operation::*;
    &[
        Signal,
        SignalSecond,
        WaitSignal,
        WaitSecond,
        PollSignal,
        SignalRecv,
        Recv,
        NbSend,
        EndSlice,
        Suspend(0),
        Suspend(2),
        Resume(0),
        Resume(2),
    ]
};

/// Operations of a thread in the model with static keys.
pub(super) const KEYS: &[Operation] = {
    use Operation::*;
    &[
        Enable,
        Disable,
        IncGroup,
        DecGroup,
        ReadGroup,
        EndSlice,
        Suspend(0),
        Suspend(1),
        Resume(1),
        Restart(0),
        Restart(1),
    ]
};

/// Operations of a thread in the model with policies of the floating-point unit.
pub(super) const POLICIES: &[Operation] = {
    use Operation::*;
    &[
        SetPolicy([FpuPolicy::SemiLazy as u64, 0]),
        SetPolicy([FpuPolicy::SemiLazy as u64, FpuOption::ISOLATE]),
        SetPolicy([FpuPolicy::Eager as u64, 0]),
        SetPolicy([FpuPolicy::FaultLazy as u64, 0]),
        SetPolicy([FpuPolicy::FaultLazy as u64, FpuOption::ISOLATE]),
        SetPolicy([FpuPolicy::EarlySave as u64, 0]),
        SetPolicy([FpuPolicy::ALL.len() as u64, 0]),
        ReadCounters,
        UseFpu,
        SetFlags(0, [0, ThreadFlag::FPU_DISABLED]),
        SetFlags(0, [ThreadFlag::FPU_DISABLED, 0]),
        SetFlags(1, [0, ThreadFlag::FPU_DISABLED]),
        SetFlags(1, [ThreadFlag::FPU_DISABLED, 0]),
        Signal,
        WaitSignal,
        EndSlice,
        Suspend(0),
        Resume(0),
    ]
};

/// Operations of a thread in the model with probes. The fault is a breakpoint. Events count in any code.
pub(super) const PROBES: &[Operation] = {
    use Operation::*;
    const STAYS: u64 = ProbeOption::EVERY | ProbeOption::EXIT_SERIALISED;
    &[
        StartProbe,
        StopProbe,
        Arm([ProbeEvent::Breakpoint as u64, 0, u64::MAX, ProbeOption::EXIT]),
        Arm([ProbeEvent::Syscall as u64, 0, u64::MAX, STAYS]),
        ReadProbe,
        Fault,
        Call,
        Recv,
        ReplyRecv,
        EndSlice,
        Suspend(0),
        Resume(0),
        Restart(0),
    ]
};

/// Operations of a thread in the model with wipes.
pub(super) const WIPES: &[Operation] = {
    use Operation::*;
    &[
        Work,
        FinishWork,
        Interrupt(0),
        Interrupt(1),
        Acknowledge(0),
        Acknowledge(1),
        WaitSignal,
        Fault,
        Recv,
        ReplyRecv,
        EndSlice,
        Suspend(0),
        Suspend(1),
        Suspend(2),
        Resume(0),
        Resume(1),
        Resume(2),
        Restart(1),
    ]
};

/// Operations of a thread in the model with a share that ends during work.
pub(super) const WORKS: &[Operation] = {
    use Operation::*;
    &[
        Work,
        FinishWork,
        Run(Timer::Punctual),
        Fault,
        Recv,
        ReplyRecv,
        ReplyStop,
        ReplyEmpty(0),
        ReplyEmpty(1),
        Suspend(1),
        Resume(1),
    ]
};

/// Operations of a thread in the model with two domains.
pub(super) const DOMAINS: &[Operation] = {
    use Operation::*;
    &[Run(Timer::Punctual), Run(Timer::Late), Call, Recv, ReplyRecv, Signal, WaitSignal]
};

/// Operations of a thread in the model with shares.
pub(super) const SHARES: &[Operation] = {
    use Operation::*;
    &[
        Run(Timer::Punctual),
        Run(Timer::Late),
        Call,
        Recv,
        ReplyRecv,
        ReplyStop,
        Signal,
        WaitSignal,
        Yield,
        Resume(1),
        Configure([20, 20, 0, 0, 0]),
        Configure([40, 60, 0, 0, 0]),
    ]
};

/// Operations of a thread in models with spare time.
pub(super) const TIME: &[Operation] = {
    use Operation::*;
    &[
        Call,
        Recv,
        ReplyRecv,
        SendRecv,
        Signal,
        WaitSignal,
        Suspend(0),
        Suspend(1),
        Resume(0),
        Resume(1),
        BindThread(0),
        BindNotification,
        Unbind,
        UnbindThread(0),
    ]
};

impl Operation {
    /// Lets the running thread do it; time passes also if none runs. Returns whether it is possible.
    pub(super) fn try_perform(self, system: &mut System) -> bool {
        match (self, system.current()) {
            (Self::Run(timer), _) => run(system, timer),
            (Self::Interrupt(index), _) => interrupt(system, index),
            (_, Some(_)) if !self.is_possible(system.kernel.is_at_work()) => false,
            (Self::IncGroup, Some(actor)) if has_two_holds(system, actor) => false,
            (Self::UseFpu, Some(_)) if system.kernel.processor.fpu.is_on() => false,
            (_, Some(actor)) => {
                self.perform(system, actor);
                true
            }
            (_, None) => false,
        }
    }

    /// Whether the running thread could do it: instead of a program at work, the kernel's code runs.
    fn is_possible(self, is_at_work: bool) -> bool {
        match self {
            Self::EndSlice => true,
            Self::FinishWork => is_at_work,
            _ => !is_at_work,
        }
    }

    /// Lets the running thread do it.
    pub(super) fn perform(self, system: &mut System, actor: Thread) {
        match self {
            Self::Call => system.call(actor, ENDPOINT, 1, &[1]),
            Self::CallNext => system.call(actor, NEXT_ENDPOINT, 1, &[1]),
            Self::Send => system.send(actor, ENDPOINT, 1, &[1]),
            Self::NbSend => system.nb_send(actor, ENDPOINT, 1, &[1]),
            Self::Recv => system.recv(actor, ENDPOINT),
            Self::NbRecv => system.nb_recv(actor, ENDPOINT),
            Self::Wait => system.wait(actor, ENDPOINT),
            Self::ReplyBySend => system.send(actor, REPLY, 0, &[1]),
            Self::ReplyRecv => system.reply_recv(actor, ENDPOINT, 0, &[1]),
            Self::SendRecv => system.nb_send_recv(actor, ENDPOINT, ENDPOINT, 0, &[1]),
            Self::SignalRecv => system.nb_send_recv(actor, NOTIFICATION, ENDPOINT, 0, &[]),
            Self::SendWait => system.nb_send_wait(actor, ENDPOINT, NOTIFICATION, 0, &[1]),
            Self::Signal => system.signal(actor, NOTIFICATION),
            Self::WaitSignal => system.wait(actor, NOTIFICATION),
            Self::PollSignal => system.nb_wait(actor, NOTIFICATION),
            Self::Fault => system.fault(actor, Family::EXCEPTION),
            Self::UseFpu => system.event(Event::FpuUse(Family::EXCEPTION)),
            Self::SignalSecond => system.signal(actor, SECOND_NOTIFICATION),
            Self::WaitSecond => system.wait(actor, SECOND_NOTIFICATION),
            Self::EndSlice => system.run_to_timer(),
            Self::Yield => system.yield_slice(actor),
            Self::ReplyStop => system.reply_recv(actor, ENDPOINT, 1, &[1]),
            Self::ReplyEmpty(label) => system.reply_recv(actor, ENDPOINT, label, &[]),
            Self::Work => system.run_service(actor, SERVICE),
            Self::FinishWork => system.finish_work(actor, [0; _]),
            _ => self.invoke(system, actor),
        }
    }

    /// Performs the operations that invoke an object.
    fn invoke(self, system: &mut System, actor: Thread) {
        let (slot, label, words, caps): (u64, Label, &[u64], &[u64]) = match self {
            Self::Suspend(index) => (FIRST_THREAD + index, Label::TcbSuspend, &[], &[]),
            Self::Resume(index) => (FIRST_THREAD + index, Label::TcbResume, &[], &[]),
            Self::Restart(index) => (FIRST_THREAD + index, Label::TcbWriteRegisters, &[1, 1, 0x1000], &[]),
            Self::Configure(ref words) => (CONTROL, Label::SchedControlConfigureFlags, words, &[SPARE_TIME]),
            Self::Acknowledge(index) => (FIRST_INTERRUPT + index, Label::IrqHandlerAck, &[], &[]),
            Self::BindThread(index) => (SPARE_TIME, Label::SchedContextBind, &[], &[FIRST_THREAD + index]),
            Self::Enable => (KEY, Label::KeyEnable, &[], &[]),
            Self::Disable => (KEY, Label::KeyDisable, &[], &[]),
            Self::IncGroup => (GROUP_KEY, Label::KeyInc, &[], &[]),
            Self::DecGroup => (GROUP_KEY, Label::KeyDec, &[], &[]),
            Self::ReadGroup => (GROUP_KEY, Label::KeyRead, &[], &[]),
            Self::SetPolicy(ref words) => (FPU_POLICY, Label::FpuSetPolicy, words, &[]),
            Self::ReadCounters => (FPU_COUNTERS, Label::FpuReadCounters, &[], &[]),
            Self::SetFlags(index, ref words) => (FIRST_THREAD + index, Label::TcbSetFlags, words, &[]),
            Self::StartProbe => (PROBE, Label::ProbeStart, &[], &[]),
            Self::StopProbe => (PROBE, Label::ProbeStop, &[], &[]),
            Self::Arm(ref words) => (PROBE, Label::ProbeArm, words, &[]),
            Self::ReadProbe => (PROBE, Label::ProbeRead, &[], &[]),
            Self::BindNotification => (SPARE_TIME, Label::SchedContextBind, &[], &[NOTIFICATION]),
            Self::UnbindThread(index) => {
                (SPARE_TIME, Label::SchedContextUnbindObject, &[], &[FIRST_THREAD + index])
            }
            _ => (SPARE_TIME, Label::SchedContextUnbind, &[], &[]),
        };
        system.syscall(actor, Syscall::Call, slot, &Arguments { label: label.as_raw(), words, caps });
    }
}

fn has_two_holds(system: &System, actor: Thread) -> bool {
    system.kernel.keys.iter().any(|(_, key)| key.holds(actor.id()) == 2)
}

/// A device interrupts, if its line is not masked.
fn interrupt(system: &mut System, index: u64) -> bool {
    system.edge(Interrupt(index));
    system.take_interrupts() > 0
}

/// Time passes, also while the processor idles. The timer fires if it is due and not late, and at once if it was late before.
fn run(system: &mut System, timer: Timer) -> bool {
    let machine = &system.kernel.machine;
    let was_due = machine.deadline <= machine.now;
    if timer == Timer::Late && (was_due || machine.deadline > machine.now + STEP) {
        return false;
    }
    if !was_due {
        system.pass(STEP);
    }
    let machine = &system.kernel.machine;
    if timer == Timer::Punctual && machine.deadline <= machine.now {
        system.run_to_timer();
    }
    true
}
