//! Rules for every event: which threads may change, that a refused call changes nothing, and that all time is
//! accounted for.

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

/// Registers that a message or a reply may change: badge, info and words.
const MESSAGE_REGISTERS: core::ops::Range<usize> = X0..X0 + 6;

/// The state before an event, and the account of time so far.
pub(super) struct Ledger {
    before: Snapshot,
    buffers: Vec<Vec<u64>>,
    event: Option<Prepared>,
    idle: Ticks,
    reported: Ticks,
}

impl Ledger {
    /// Starts at boot.
    pub(super) fn new(system: &System) -> Self {
        Self { before: Snapshot::of(system), buffers: Vec::new(), event: None, idle: 0, reported: 0 }
    }

    /// Advances the time.
    pub(super) fn pass(&mut self, system: &mut System, ticks: Ticks) {
        if system.current().is_none() {
            self.idle += ticks;
        }
        system.pass(ticks);
    }

    /// Records the state before an event.
    pub(super) fn open(&mut self, system: &System, event: Prepared) {
        self.before = Snapshot::of(system);
        self.buffers = system.buffers();
        self.event = Some(event);
    }

    /// Checks the state after the event.
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

    /// A thread that is not involved in an event keeps registers and buffer bit for bit; others change only as far as
    /// messages, replies and restarts allow.
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
        let is_reset = self.resets(system, event) == Some(thread.id());
        if is_reset && buffer_is_kept && has_first_registers(&new.context) {
            return;
        }
        if !is_involved && (old.context != new.context || !buffer_is_kept) {
            system.fail(&format!("{event:?} changed {}", system.name(thread)));
        }
        for position in changed(&old.context, &new.context) {
            let is_allowed = MESSAGE_REGISTERS.contains(&position)
                || (position == PC && old.fault.is_none())
                || reply_registers(old.fault).contains(&position);
            if !is_allowed {
                system.fail(&format!("{event:?} changed register {position} of {}", system.name(thread)));
            }
        }
        let (old_pc, new_pc) = (old.context.registers[PC], new.context.registers[PC]);
        if old.fault.is_none() && new_pc != old_pc && new_pc != old_pc.wrapping_sub(4) {
            system.fail(&format!("{event:?} moved {} to {new_pc:#x}", system.name(thread)));
        }
    }

    /// Returns the capability that the event invokes.
    fn target(&self, system: &System, event: Prepared) -> Option<Cap> {
        let actor = self.before.current?;
        let invokes = matches!(event.syscall?, Syscall::Call | Syscall::Send | Syscall::NbSend);
        let cptr = self.actor()?.context.cptr();
        let cap = *system.kernel.machine.tables[actor].lookup(cptr)?;
        invokes.then_some(cap)
    }

    /// Returns the thread whose registers the event resets, if the invoked service does not refuse.
    fn resets(&self, system: &System, event: Prepared) -> Option<ThreadId> {
        let Cap::Service(id) = self.target(system, event)? else { return None };
        system.kernel.services[id].as_ref()?.resets()
    }

    fn actor(&self) -> Option<&ThreadSnapshot> {
        let actor = self.before.current?;
        Some(&self.before.threads[thread_index(actor)])
    }

    /// A refused call changes the message registers of the caller and nothing else.
    fn check_refusal(&self, system: &System, event: Prepared, after: &Snapshot) {
        let (Some(actor), Some(Syscall::Call)) = (self.before.current, event.syscall) else { return };
        let is_message = match self.target(system, event) {
            Some(Cap::Endpoint { rights, .. } | Cap::Notification { rights, .. }) => rights.can_send(),
            Some(Cap::Reply(_)) | None => true,
            _ => false,
        };
        let answer = after.threads[thread_index(actor)].context.info();
        let went_on = after.current == Some(actor);
        if is_message || !went_on || answer.label() == 0 || has_own_info(&self.before, answer) {
            return;
        }
        let mut expected = self.before.clone();
        expected.threads[thread_index(actor)].context = after.threads[thread_index(actor)].context;
        if expected != *after || self.buffers != system.buffers() {
            system.fail(&format!("{event:?} was refused but changed something"));
        }
    }

    /// All time that has passed was charged, or the processor idled.
    fn check_time(&mut self, system: &System, event: Prepared, after: &Snapshot) {
        if let (Some(id), Some(label)) = self.invoked_time(system, event)
            && label == Label::SchedContextConsumed
            && after.consumed[time_index(id)] == 0
        {
            let charged = if self.before.charged == Some(id) { after.since - self.before.since } else { 0 };
            self.reported += self.before.consumed[time_index(id)] + charged;
        }
        let consumed: Ticks = after.consumed.iter().sum();
        let uncharged = if after.current.is_some() { after.now - after.since } else { 0 };
        if consumed + self.reported + self.idle + uncharged != after.now {
            system.fail(&format!(
                "after {event:?} {consumed} + {} reported + {} idle",
                self.reported, self.idle
            ));
        }
    }

    fn invoked_time(&self, system: &System, event: Prepared) -> (Option<SchedContextId>, Option<Label>) {
        let id = match self.target(system, event) {
            Some(Cap::SchedContext(id)) => Some(id),
            _ => None,
        };
        (id, self.label())
    }

    /// Returns the label of the actor's invocation.
    fn label(&self) -> Option<Label> {
        self.actor().and_then(|actor| Label::from_raw(actor.context.info().label()))
    }
}

/// Whether a context is as a reset leaves it: entry point, stack pointer, and otherwise zeros.
fn has_first_registers(context: &TestContext) -> bool {
    let mut registers = context.registers.iter().enumerate();
    registers.all(|(position, value)| *value == 0 || [PC, SP].contains(&position))
}

/// The work of an invoked thread continues as if nothing had happened, or it is abandoned and the program is at the
/// system call again, apart from registers that are written.
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

/// A system call changes the message registers of its thread and at most restarts; a fault or an interrupt changes
/// nothing.
fn check_actor(system: &System, thread: Thread, event: Prepared, old: &ThreadSnapshot, new: &ThreadSnapshot) {
    let begins_work = old.work.is_none() && new.work.is_some() && event.syscall == Some(Syscall::Call);
    let has_result = old.work.is_some() && new.work.is_none() && matches!(event.kind, Event::WorkDone(_));
    if begins_work {
        return check_begin(system, thread, event, old, new);
    }
    if old.work != new.work && !has_result {
        system.fail(&format!("{event:?} changed the work of {}", system.name(thread)));
    }
    let before = if has_result { program_of(old) } else { old.context };
    let (old_pc, new_pc) = (before.registers[PC], new.context.registers[PC]);
    for position in changed(&before, &new.context) {
        let is_syscall = matches!(event.kind, Event::Syscall(_)) || has_result;
        let is_repeated = position == PC && new_pc == old_pc.wrapping_sub(4);
        if !is_syscall || !(MESSAGE_REGISTERS.contains(&position) || is_repeated) {
            system.fail(&format!("{event:?} changed register {position} of {}", system.name(thread)));
        }
    }
}

/// The program's registers are saved, with those that the port adds, and none of them is left in the context of the
/// work.
fn check_begin(system: &System, thread: Thread, event: Prepared, old: &ThreadSnapshot, new: &ThreadSnapshot) {
    let mut expected = old.context;
    expected.registers[PRESERVED] = PRESERVED_VALUE;
    let mut fresh = [0; _];
    fresh[PC] = WORK_PC;
    if program_of(new) != expected || new.context.registers != fresh {
        system.fail(&format!("{event:?} mixed work and program of {}", system.name(thread)));
    }
}

/// Returns the registers of the program.
fn program_of(thread: &ThreadSnapshot) -> TestContext {
    thread.work.map_or(thread.context, |work| *work.program())
}

/// Returns whether the info register still has the value that the program put there.
fn has_own_info(before: &Snapshot, answer: MessageInfo) -> bool {
    let actor = before.current.map(|actor| before.threads[thread_index(actor)].context.info());
    actor == Some(answer)
}

/// Returns the registers that the reply to a fault may set.
fn reply_registers(fault: Option<Fault>) -> &'static [usize] {
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
