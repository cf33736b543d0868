//! What holds for every event, whatever it is: who may change, that refusals change nothing, and where time goes.

use limen_abi::{Label, MessageInfo, Syscall};
use limen_core::arena::{SchedContextId, ThreadId};
use limen_core::cap::Cap;
use limen_core::event::Event;
use limen_core::fault::Fault;
use limen_core::kernel::SchedContexts;
use limen_core::machine::{Context, Ticks};

use super::step::Prepared;
use crate::support::{
    LR, PC, PRESERVED, PRESERVED_VALUE, SP, SPSR, Snapshot, System, TLS_BASE, TestContext, Thread,
    ThreadSnapshot, WORK_PC, X0,
};

/// Registers that a message or an answer may change: badge, info and words.
const MESSAGE_REGISTERS: core::ops::Range<usize> = X0..X0 + 6;

/// The state before an event, and where all time has gone so far.
pub(super) struct Ledger {
    before: Snapshot,
    buffers: Vec<Vec<u64>>,
    event: Option<Prepared>,
    idle: Ticks,
    told: Ticks,
}

impl Ledger {
    /// Starts at boot.
    pub(super) fn new(system: &System) -> Self {
        Self { before: Snapshot::of(system), buffers: Vec::new(), event: None, idle: 0, told: 0 }
    }

    /// Time passes.
    pub(super) fn pass(&mut self, system: &mut System, ticks: Ticks) {
        if system.current().is_none() {
            self.idle += ticks;
        }
        system.pass(ticks);
    }

    /// Notes the state before an event.
    pub(super) fn open(&mut self, system: &System, event: Prepared) {
        self.before = Snapshot::of(system);
        self.buffers = system.buffers();
        self.event = Some(event);
    }

    /// Checks the state after it.
    pub(super) fn close(&mut self, system: &System) {
        let Some(event) = self.event.take() else { return };
        let after = Snapshot::of(system);
        let actor = self.before.current;
        for thread in system.threads() {
            let (old, new) = (&self.before.threads[index(thread)], &after.threads[index(thread)]);
            if Some(thread.id()) == actor {
                check_actor(system, thread, event, old, new);
            } else {
                self.check_other(system, thread, event, old, new);
            }
        }
        self.check_refusal(system, event, &after);
        self.check_time(system, event, &after);
    }

    /// A thread that an event has nothing to do with keeps registers and buffer bit for bit; others change as far as
    /// messages, answers and restarts go.
    fn check_other(
        &self,
        system: &System,
        thread: Thread,
        event: Prepared,
        old: &ThreadSnapshot,
        new: &ThreadSnapshot,
    ) {
        let is_target = self.target(system, event) == Some(Cap::Thread(thread.id()));
        if is_target {
            check_target_at_work(system, thread, self.label(), old, new);
        } else if (old.work, old.space, old.fpu) != (new.work, new.space, new.fpu) {
            system.fail(&format!("{event:?} changed the work of {}", system.name(thread)));
        }
        let is_involved = (old.state, old.fault) != (new.state, new.fault);
        if is_target {
            return;
        }
        let buffer_is_kept = self.buffers[index(thread)] == system.buffers()[index(thread)];
        if !is_involved && (old.context != new.context || !buffer_is_kept) {
            system.fail(&format!("{event:?} changed {}", system.name(thread)));
        }
        for position in changed(&old.context, &new.context) {
            let is_allowed = MESSAGE_REGISTERS.contains(&position)
                || (position == PC && old.fault.is_none())
                || answer_registers(old.fault).contains(&position);
            if !is_allowed {
                system.fail(&format!("{event:?} changed register {position} of {}", system.name(thread)));
            }
        }
        let (old_pc, new_pc) = (old.context.registers[PC], new.context.registers[PC]);
        if old.fault.is_none() && new_pc != old_pc && new_pc != old_pc.wrapping_sub(4) {
            system.fail(&format!("{event:?} moved {} to {new_pc:#x}", system.name(thread)));
        }
    }

    /// What the event is a request to.
    fn target(&self, system: &System, event: Prepared) -> Option<Cap> {
        let actor = self.before.current?;
        let invokes = matches!(event.syscall?, Syscall::Call | Syscall::Send | Syscall::NbSend);
        let cptr = self.actor()?.context.cptr();
        let cap = *system.kernel.machine.tables[actor].lookup(cptr)?;
        invokes.then_some(cap)
    }

    fn actor(&self) -> Option<&ThreadSnapshot> {
        let actor = self.before.current?;
        Some(&self.before.threads[thread_index(actor)])
    }

    /// A call that the kernel refuses changes the message registers of the caller and nothing else.
    fn check_refusal(&self, system: &System, event: Prepared, after: &Snapshot) {
        let (Some(actor), Some(Syscall::Call)) = (self.before.current, event.syscall) else { return };
        let reaches_a_thread = match self.target(system, event) {
            Some(Cap::Endpoint { rights, .. } | Cap::Notification { rights, .. }) => rights.can_send(),
            Some(Cap::Reply(_)) | None => true,
            _ => false,
        };
        let answer = after.threads[thread_index(actor)].context.info();
        let went_on = after.current == Some(actor);
        if reaches_a_thread || !went_on || answer.label() == 0 || has_asked(&self.before, answer) {
            return;
        }
        let mut expected = self.before.clone();
        expected.threads[thread_index(actor)].context = after.threads[thread_index(actor)].context;
        if expected != *after || self.buffers != system.buffers() {
            system.fail(&format!("{event:?} was refused and changed something"));
        }
    }

    /// Time that has passed was used by somebody, or nobody could run.
    fn check_time(&mut self, system: &System, event: Prepared, after: &Snapshot) {
        if let (Some(id), Some(label)) = self.asked_time(system, event)
            && label == Label::SchedContextConsumed
            && after.sched_contexts[time_index(id)].consumed == 0
        {
            let charged = if self.before.charged == Some(id) { after.since - self.before.since } else { 0 };
            self.told += self.before.sched_contexts[time_index(id)].consumed + charged;
        }
        let consumed: Ticks = after.sched_contexts.iter().map(|time| time.consumed).sum();
        let uncharged = if after.current.is_some() { after.now - after.since } else { 0 };
        if consumed + self.told + self.idle + uncharged != after.now {
            system.fail(&format!("after {event:?} {consumed} + {} told + {} idle", self.told, self.idle));
        }
    }

    fn asked_time(&self, system: &System, event: Prepared) -> (Option<SchedContextId>, Option<Label>) {
        let id = match self.target(system, event) {
            Some(Cap::SchedContext(id)) => Some(id),
            _ => None,
        };
        (id, self.label())
    }

    /// What the actor asks for, if it is a request.
    fn label(&self) -> Option<Label> {
        self.actor().and_then(|actor| Label::from_raw(actor.context.info().label()))
    }
}

/// The work of a thread of which something is asked goes on as if nothing had happened, or its program is at the system call
/// again, apart from registers that are written.
fn check_target_at_work(
    system: &System,
    thread: Thread,
    label: Option<Label>,
    old: &ThreadSnapshot,
    new: &ThreadSnapshot,
) {
    let goes_on = new.work == old.work && (old.work.is_none() || new.context == old.context);
    let again = program_of(old).registers[PC].wrapping_sub(4);
    let is_changed = |position| match position {
        PC => new.context.registers[PC] != again,
        TLS_BASE => label != Some(Label::TcbSetTlsBase),
        _ => true,
    };
    let starts_again =
        old.work.is_some() && new.work.is_none() && !changed(&program_of(old), &new.context).any(is_changed);
    if !goes_on && !starts_again && label != Some(Label::TcbWriteRegisters) {
        system.fail(&format!("{label:?} left {} between work and program", system.name(thread)));
    }
}

/// Who traps gets its message registers changed, and its instruction repeated at most; who faults or is interrupted
/// keeps everything.
fn check_actor(system: &System, thread: Thread, event: Prepared, old: &ThreadSnapshot, new: &ThreadSnapshot) {
    let has_asked = old.work.is_none() && new.work.is_some() && event.syscall == Some(Syscall::Call);
    let has_an_answer = old.work.is_some() && new.work.is_none() && matches!(event.kind, Event::WorkDone(_));
    if has_asked {
        return check_begin(system, thread, event, old, new);
    }
    if old.work != new.work && !has_an_answer {
        system.fail(&format!("{event:?} changed the work of {}", system.name(thread)));
    }
    let before = if has_an_answer { program_of(old) } else { old.context };
    let (old_pc, new_pc) = (before.registers[PC], new.context.registers[PC]);
    for position in changed(&before, &new.context) {
        let is_syscall = matches!(event.kind, Event::Syscall(_)) || has_an_answer;
        let is_repeated = position == PC && new_pc == old_pc.wrapping_sub(4);
        if !is_syscall || !(MESSAGE_REGISTERS.contains(&position) || is_repeated) {
            system.fail(&format!("{event:?} changed register {position} of {}", system.name(thread)));
        }
    }
}

/// The program is what it was, but for what the port stores only now, and nothing of it is left where the kernel works.
fn check_begin(system: &System, thread: Thread, event: Prepared, old: &ThreadSnapshot, new: &ThreadSnapshot) {
    let mut expected = old.context;
    expected.registers[PRESERVED] = PRESERVED_VALUE;
    let mut fresh = [0; _];
    fresh[PC] = WORK_PC;
    if program_of(new) != expected || new.context.registers != fresh {
        system.fail(&format!("{event:?} mixed work and program of {}", system.name(thread)));
    }
}

/// The registers of the program.
fn program_of(thread: &ThreadSnapshot) -> TestContext {
    thread.work.map_or(thread.context, |work| *work.program())
}

/// Whether the info register is what the program had put there itself.
fn has_asked(before: &Snapshot, answer: MessageInfo) -> bool {
    let actor = before.current.map(|actor| before.threads[thread_index(actor)].context.info());
    actor == Some(answer)
}

/// Registers that the answer to a fault may set.
fn answer_registers(fault: Option<Fault>) -> &'static [usize] {
    const X: usize = X0;
    match fault {
        Some(Fault::UserException { .. }) => &[PC, SP, SPSR],
        Some(Fault::UnknownSyscall { .. }) => {
            &[X, X + 1, X + 2, X + 3, X + 4, X + 5, X + 6, X + 7, PC, SP, LR, SPSR]
        }
        _ => &[],
    }
}

fn changed(old: &TestContext, new: &TestContext) -> impl Iterator<Item = usize> {
    let pairs = old.registers.into_iter().zip(new.registers).enumerate();
    pairs.filter(|(_, (old, new))| old != new).map(|(position, _)| position)
}

fn index(thread: Thread) -> usize {
    thread.0 as usize
}

fn thread_index(id: ThreadId) -> usize {
    limen_core::kernel::MessageBuffers::index_of(id)
}

fn time_index(id: SchedContextId) -> usize {
    SchedContexts::index_of(id)
}
