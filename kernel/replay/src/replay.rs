//! The comparison of a recorded run with the kernel's core.

use core::fmt;
use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use limen_abi::message::{BufferWord, MAX_LENGTH, REGISTER_WORDS};
use limen_abi::recording::{EventKind, NO_INTERRUPT, StateWord};
use limen_abi::trace::TIMER_LINE;
use limen_abi::{Label, Syscall};
use limen_core::Kernel;
use limen_core::arena::ThreadId;
use limen_core::cap::Cap;
use limen_core::event::Event as CoreEvent;
use limen_core::fault::{Access, Fault};
use limen_core::kernel::{Notifications, Threads, Vspaces};
use limen_core::machine::{Context, Interrupt, Line, Machine};
use limen_core::object::probe::{ExitStamp, Rest};
use limen_core::object::secure_monitor::REGISTERS;
use limen_core::object::service::ServiceResult;
use limen_image::{Architecture, DomainSlot, Image};

use crate::abstraction::{Facts, View, abstraction, fault_of, registers_of};
use crate::context::{Aarch64, Amd64, Plain, Registers, Riscv64};
use crate::machine::{Answers, ReplayMachine, Space, index_of};
use crate::reader::{Boot, Damage, Entry, Event, Letter, Mail, Reader, Recorded, Signals, State};
use crate::reference::Reference;

/// The number of events that a report of a difference lists.
const LAST: usize = 8;

/// The most seconds between two events, a day. A recording of a system that does nothing for longer is refused.
const MOST_SECONDS: u64 = 24 * 60 * 60;

/// The most slots of domains between two events. The core goes through all of them, so a damaged time could occupy it for years.
/// The end of each slot is an event.
const MOST_SLOTS: u64 = 1 << 24;

/// The last time that a recording may have: later ones could overflow when a period is added.
const LAST_TIME: u64 = u64::MAX / 4;

/// The words of a state, and their names.
const STATE_WORDS: [(usize, &str); StateWord::LENGTH] = [
    (StateWord::SINCE, "time of the last charge"),
    (StateWord::PROGRAMMED, "programmed time of the timer"),
    (StateWord::SLOT_END, "end of the domain's slot"),
    (StateWord::DOMAIN, "running domain"),
    (StateWord::CHARGED, "charged scheduling context"),
    (StateWord::REMAINING, "rest of the slice"),
    (StateWord::FPU_OWNER, "owner of the floating-point registers"),
    (StateWord::FPU_IS_ON, "state of the floating-point unit"),
];

/// Why a replay ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The words are no recording.
    Damaged {
        /// The damage.
        damage: Damage,
        /// The number of events before.
        events: u64,
    },
    /// The image cannot be replayed.
    Image(String),
    /// The target did something else than the core.
    Differs(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { damage, events } => write!(f, "after {events} events: {damage}"),
            Self::Image(reason) => write!(f, "the boot image is refused: {reason}"),
            Self::Differs(report) => f.write_str(report),
        }
    }
}

/// The events of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// All of them.
    pub events: u64,
    /// Those whose outcome was compared with the specification as well.
    pub specified: u64,
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { events, specified } = self;
        write!(f, "{events} events replayed")?;
        match specified {
            0 => Ok(()),
            specified => write!(f, ", {specified} of them compared with the specification"),
        }
    }
}

/// Replays a recording of an image, whose threads have these names.
///
/// # Errors
/// When the recording is damaged, or the core does not do what the target did.
pub fn replay(image: &[u64], names: &[String], words: impl Iterator<Item = u64>) -> Result<Replayed, Ending> {
    let image = Image::validate(image).map_err(|error| Ending::Image(error.to_string()))?;
    match image.architecture() {
        number if number == Architecture::Aarch64 as u64 => Replay::<Aarch64>::run(&image, names, words),
        number if number == Architecture::Riscv64 as u64 => Replay::<Riscv64>::run(&image, names, words),
        number if number == Architecture::X86_64 as u64 => Replay::<Amd64>::run(&image, names, words),
        number => Err(Ending::Image(format!("{number} is not an instruction set"))),
    }
}

/// A kernel that follows a recording.
struct Replay<'n, A: Registers> {
    kernel: Box<Kernel<ReplayMachine<A>>>,
    facts: Facts,
    /// The specification, which has one processor.
    reference: Option<Reference>,
    names: &'n [String],
    /// Threads whose program's preserved registers are unknown, because the port has saved them when work began.
    incomplete: BTreeSet<usize>,
    /// Threads that entered the kernel last by a system call. Only they can have got a message since; the buffers of others
    /// have what their programs wrote.
    calling: BTreeSet<usize>,
    /// For each thread that has made a system call, the words behind its message in its buffer then: its program may have
    /// changed them.
    unsent: BTreeMap<usize, Vec<(usize, u64)>>,
    /// The thread that reads registers of an incomplete program, or of one that is at work.
    reader: Option<usize>,
    /// The last events, in words.
    last: VecDeque<String>,
}

impl<'n, A: Registers> Replay<'n, A> {
    fn run(
        image: &Image<'_>,
        names: &'n [String],
        words: impl Iterator<Item = u64>,
    ) -> Result<Replayed, Ending> {
        let mut reader = Reader::new(words, Plain::<A>::REGISTERS);
        let mut events = 0;
        let boot = reader.boot().map_err(|damage| Ending::Damaged { damage, events })?;
        let mut before = boot.state.words[StateWord::SINCE];
        if u64::from(boot.processor) >= image.processors() || before > LAST_TIME {
            return Err(Ending::Damaged { damage: Damage::Contents, events });
        }
        let mut replay = Self::boot(image, names, &boot);
        if let Err(problem) = replay.compare_state(&boot.state) {
            return Err(Ending::Differs(replay.report("boot", &problem)));
        }
        let is_here = |slot: &DomainSlot| slot.processor == u64::from(boot.processor);
        let ticks = |slot: DomainSlot| {
            replay.kernel.machine.ticks_from_us(slot.duration_us).saturating_add(slot.duration_ticks)
        };
        let shortest = image.domain_schedule().filter(is_here).map(ticks).min();
        let most_slots = shortest.map_or(u64::MAX, |ticks| ticks.saturating_mul(MOST_SLOTS));
        let most_ticks = boot.frequency.saturating_mul(MOST_SECONDS).min(most_slots);
        while let Some(event) = reader.event().map_err(|damage| Ending::Damaged { damage, events })? {
            let time = event.state.words[StateWord::SINCE];
            let is_wrong = |at: &u64| *at > LAST_TIME || at.abs_diff(before) > most_ticks;
            if event.readings.iter().chain([&time]).any(is_wrong) {
                return Err(Ending::Damaged { damage: Damage::Contents, events });
            }
            before = time;
            let what = replay.describe(&event);
            if let Err(problem) = replay.follow(&event) {
                return Err(Ending::Differs(replay.report(&what, &problem)));
            }
            replay.last.push_back(what);
            if replay.last.len() > LAST {
                replay.last.pop_front();
            }
            events += 1;
        }
        let specified = replay.reference.map_or(0, |reference| reference.compared);
        Ok(Replayed { events, specified })
    }

    /// A kernel that has booted, on a processor of the image.
    fn boot(image: &Image<'_>, names: &'n [String], boot: &Boot) -> Self {
        let mut kernel = Box::new(Kernel::new(ReplayMachine::<A>::new(image, boot)));
        for thread in (0..image.thread_count()).filter_map(Threads::<ReplayMachine<A>>::id) {
            let context = &mut kernel.threads[thread].context;
            (0..Plain::<A>::REGISTERS).for_each(|at| context.set_word(at, A::initial(at)));
        }
        kernel.populate(image, boot.processor, |index, _| {
            Vspaces::<ReplayMachine<A>>::id(index).map(|_| Space(index))
        });
        let now = boot.state.words[StateWord::SINCE];
        kernel.machine.answers.borrow_mut().time = now;
        kernel.start(now);
        let facts = Facts::of(image, &kernel.machine, A::SET);
        let reference = (image.processors() == 1).then(|| {
            Reference::new(abstraction(&View {
                kernel: &kernel,
                facts: &facts,
                now,
                turn: 0,
                wiped: &[],
                exit: ExitStamp::None,
                asked: &None,
                answer: [0; REGISTERS],
                record: None,
            }))
        });
        Self {
            kernel,
            facts,
            reference,
            names,
            incomplete: BTreeSet::new(),
            calling: BTreeSet::new(),
            unsent: BTreeMap::new(),
            reader: None,
            last: VecDeque::new(),
        }
    }

    /// Handles an event as the target did.
    fn follow(&mut self, event: &Event) -> Result<(), String> {
        let runs = self.running();
        let entered = event.entered.as_ref().map(|recorded| recorded.thread);
        if runs != entered {
            let (target, core) = (self.name(entered), self.name(runs));
            return Err(format!("the target enters the kernel from {target}, but {core} runs"));
        }
        if let Some(left) = &event.left {
            self.complete(left)?;
        }
        if let Some(entered) = &event.entered {
            self.enter(entered, event)?;
        }
        let state = &event.state;
        self.reader = event
            .entered
            .as_ref()
            .filter(|entered| self.reads_incomplete(event, entered))
            .map(|entered| entered.thread);
        let interrupt = match event.interrupt {
            NO_INTERRUPT => event.mail.as_ref().map(|_| Interrupt::Message),
            TIMER_LINE => Some(Interrupt::Timer),
            line => Some(Interrupt::Line(Line(line as u32))),
        };
        *self.kernel.machine.answers.borrow_mut() = Answers {
            time: state.words[StateWord::SINCE],
            readings: event.readings.iter().copied().collect(),
            interrupt,
            words: self.answered(state),
            patchings: event.patchings.iter().copied().collect(),
            has_patched_more: false,
        };
        self.receive(event)?;
        self.kernel.machine.is_printing = event.prints;
        let specified = self.prepare_reference(event, interrupt);
        let printed = self.printed_faults();
        self.kernel.machine.asked = None;
        if self.pass_probe(event)? == Rest::Serve {
            self.kernel.handle(core_event(event));
        }
        let exit = self.kernel.exit_stamp();
        // The kernel that prints a fault also wakes the monitor, which the specification does not contain.
        let specified = specified.filter(|_| self.printed_faults() == printed);
        self.compare_reference(specified.as_ref(), exit)?;
        let answers = self.kernel.machine.answers.borrow();
        if !answers.readings.is_empty() {
            return Err(format!("the target reads the clock {} times more", answers.readings.len()));
        }
        if answers.interrupt.is_some() {
            return Err("the target acknowledges an interrupt that the core does not".to_owned());
        }
        if !answers.patchings.is_empty() {
            return Err("the target patches branches that the core does not".to_owned());
        }
        if answers.has_patched_more {
            return Err("the core patches branches that the target does not".to_owned());
        }
        drop(answers);
        if event.signals.iter().any(|signals| self.has_left(*signals)) {
            return Err("the target takes signals that the core leaves".to_owned());
        }
        if let Err(broken) = self.kernel.check_invariants() {
            return Err(format!("the invariant does not hold: {broken}"));
        }
        self.compare_state(state)?;
        // What was taken over from the target.
        self.follow_registers(event.left.as_ref());
        self.follow_registers(state.runs.as_ref());
        Ok(())
    }

    /// Shows the entry to the probe of the running program, if the target did.
    fn pass_probe(&mut self, event: &Event) -> Result<Rest, String> {
        let Some(entry) = event.entry else { return Ok(Rest::Serve) };
        let rest = self.kernel.probe_entry(entry.event, entry.stamp);
        let is_sampled = event.kind == EventKind::Sampled;
        match (rest, is_sampled) {
            (Rest::Serve, true) => {
                return Err("the target's probe samples a fault that the core's does not".into());
            }
            (Rest::Return, false) => {
                return Err("the core's probe samples a fault that the target's does not".into());
            }
            _ => {}
        }
        if let Some(entered) = &event.entered {
            let (thread, pc) = (self.thread(entered)?, entered.registers.get(A::PC).copied().unwrap_or(0));
            let own = self.kernel.threads[thread].context.register(A::PC);
            if own != pc {
                return Err(format!("the target's probe continues at {pc:#x}, the core's at {own:#x}"));
            }
        }
        Ok(rest)
    }

    /// Whether the core has not taken these signals.
    fn has_left(&self, signals: Signals) -> bool {
        let id = Notifications::id(signals.notification);
        id.is_some_and(|id| self.kernel.machine.mailboxes().look_for_signals(id) != 0)
    }

    /// The number of faults that the core has printed.
    fn printed_faults(&self) -> u32 {
        self.kernel.printed_faults.iter().map(|(_, count)| u32::from(*count)).sum()
    }

    /// Gives the specification the registers that a thread has now.
    fn follow_registers(&mut self, recorded: Option<&Recorded>) {
        let (Some(recorded), Some(reference)) = (recorded, &mut self.reference) else { return };
        let id = Threads::<ReplayMachine<A>>::id(recorded.thread as u64);
        if let (Some(thread), Some(state)) = (id, reference.state.threads.get_mut(recorded.thread)) {
            state.registers = registers_of(&self.kernel, A::SET, thread);
        }
    }

    /// Tells the specification what the program of the running thread has done, and the time. Returns the event as the
    /// specification has it; `None` if it has none: no interrupt is pending, or the kernel reads different times during the
    /// event.
    fn prepare_reference(
        &mut self,
        event: &Event,
        interrupt: Option<Interrupt>,
    ) -> Option<limen_spec::Event> {
        self.follow_registers(event.left.as_ref());
        self.follow_registers(event.entered.as_ref());
        let reference = self.reference.as_mut()?;
        let since = event.state.words[StateWord::SINCE];
        let before = reference.state.now;
        let now = event.readings.last().copied().unwrap_or(since).max(before);
        reference.state.pass(now - before);
        reference.state.entry =
            event.entry.map(|Entry { event, stamp, .. }| limen_spec::probe::Entry { event, stamp });
        let is_one_time = event.readings.iter().all(|reading| *reading == now);
        let specified = match core_event(event) {
            CoreEvent::Syscall(number) => limen_spec::Event::Syscall(number),
            CoreEvent::Fault(fault) => limen_spec::Event::Fault(fault_of(fault)),
            CoreEvent::FpuUse(fault) => limen_spec::Event::FpuUse(fault_of(fault)),
            CoreEvent::Interrupt => match interrupt? {
                Interrupt::Timer => limen_spec::Event::Timer,
                Interrupt::Message => return None,
                Interrupt::Line(line) => limen_spec::Event::Line(line.0),
            },
            CoreEvent::WorkDone(result) => limen_spec::Event::WorkDone(result.words.to_vec()),
        };
        is_one_time.then_some(specified)
    }

    /// Compares the core with the specification after an event.
    fn compare_reference(
        &mut self,
        event: Option<&limen_spec::Event>,
        exit: ExitStamp,
    ) -> Result<(), String> {
        let Some(reference) = &mut self.reference else { return Ok(()) };
        let (now, turn) = (reference.state.now, reference.state.schedule.turn);
        let (kernel, facts) = (&*self.kernel, &self.facts);
        let machine = &kernel.machine;
        let found = abstraction(&View {
            kernel,
            facts,
            now,
            turn,
            wiped: &machine.served,
            exit,
            asked: &machine.asked,
            answer: machine.answer,
            record: None,
        });
        match event {
            Some(event) => reference.compare(event, found, &[]).map_err(|difference| {
                format!("the core is not as specified (- core, + specification):\n{difference}")
            }),
            None => {
                reference.skip(found);
                Ok(())
            }
        }
    }

    /// The registers of a thread are complete: those that its traps do not save were saved by the switch to another one.
    fn complete(&mut self, left: &Recorded) -> Result<(), String> {
        self.incomplete.insert(left.thread);
        self.compare_registers(left).map_err(|problem| format!("since the last event, {problem}"))
    }

    /// Compares the registers of a thread, and takes over those that only the port knows: all while it works for a service,
    /// those that a trap does not save if they are unknown, and those with such registers of the thread that it reads.
    fn compare_registers(&mut self, recorded: &Recorded) -> Result<(), String> {
        let thread = self.thread(recorded)?;
        let is_at_work = self.kernel.works[thread].is_some();
        let is_incomplete = self.incomplete.remove(&recorded.thread);
        let is_reader = self.reader == Some(recorded.thread);
        let is_preserved = |position: usize| A::PRESERVED.contains(&A::MAP.context[position]);
        let is_read = |position: usize| {
            let mut words = Plain::<A>::CONVENTION.words.into_iter();
            words.position(|word| word == position).is_some_and(is_preserved)
        };
        let is_unknown = |position: usize| {
            is_at_work || is_incomplete && is_preserved(position) || is_reader && is_read(position)
        };
        if is_at_work {
            self.incomplete.insert(recorded.thread);
        }
        let context = &mut self.kernel.threads[thread].context;
        for (position, value) in recorded.registers.iter().enumerate() {
            let own = context.register(position);
            if is_unknown(position) {
                context.set_word(position, *value);
            } else if own != *value {
                let (name, of) = (A::MAP.context[position], self.name(Some(recorded.thread)));
                return Err(format!("{name} of {of} is {value:#x}, in the core {own:#x}"));
            }
        }
        Ok(())
    }

    /// The program of the running thread has set its registers and its message.
    fn enter(&mut self, entered: &Recorded, event: &Event) -> Result<(), String> {
        let thread = self.thread(entered)?;
        match event.kind {
            EventKind::Syscall => self.calling.insert(entered.thread),
            _ => self.calling.remove(&entered.thread),
        };
        let context = &mut self.kernel.threads[thread].context;
        entered.registers.iter().enumerate().for_each(|(position, value)| context.set_word(position, *value));
        // Its probe may have moved it since.
        if let Some(entry) = event.entry {
            context.set_word(A::PC, entry.pc);
        }
        self.fill_buffer(thread, &event.message, &event.extra);
        let buffer = &self.kernel.machine.buffers()[thread];
        let behind = REGISTER_WORDS + event.message.len()..MAX_LENGTH;
        let words = behind.map(|position| (position, buffer.word(BufferWord::MESSAGE + position)));
        self.unsent.insert(entered.thread, words.collect());
        Ok(())
    }

    /// Writes the words of a message that are not in registers, and its extra capabilities, into its thread's buffer.
    fn fill_buffer(&self, thread: ThreadId, message: &[u64], extra: &[u64]) {
        let buffer = &self.kernel.machine.buffers()[thread];
        for (word, value) in (BufferWord::MESSAGE + REGISTER_WORDS..).zip(message) {
            buffer.set_word(word, *value);
        }
        for (word, value) in (BufferWord::CAPS_OR_BADGES..).zip(extra) {
            buffer.set_word(word, *value);
        }
    }

    /// Puts mail and signals of other processors into the mailbox, from which the core takes them.
    fn receive(&self, event: &Event) -> Result<(), String> {
        let mailboxes = self.kernel.machine.mailboxes();
        if let Some(Mail { mail, code, letters }) = &event.mail {
            for Letter { thread, words, message, extra } in letters {
                let thread = self.thread_at(*thread)?;
                mailboxes.put_letter(thread, words);
                self.fill_buffer(thread, message, extra);
            }
            mailboxes.put_mail(self.kernel.processor.number, mail, *code);
        }
        // A letter has the number of the recalled request at the time of the mail.
        for (thread, number) in &event.recalls {
            mailboxes.put_recall(self.thread_at(*thread)?, *number);
        }
        for Signals { notification, badge } in &event.signals {
            let id = Notifications::id(*notification);
            let id = id.ok_or_else(|| format!("there is no notification {notification}"))?;
            mailboxes.put_signals(id, *badge);
        }
        Ok(())
    }

    /// Whether a thread asks for registers of which some are unknown.
    fn reads_incomplete(&self, event: &Event, entered: &Recorded) -> bool {
        let Ok(thread) = self.thread(entered) else { return false };
        let context = &self.kernel.threads[thread].context;
        let (machine, cptr) = (&self.kernel.machine, context.cptr());
        let own = machine.cap_table(thread).lookup(cptr);
        match own.or_else(|| machine.root_table(thread).lookup(cptr)) {
            Some(Cap::Thread(target)) => {
                event.kind == EventKind::Syscall
                    && context.info().label() == Label::TcbReadRegisters.as_raw()
                    && (self.kernel.works[*target].is_some()
                        || self.incomplete.contains(&index_of::<A>(*target)))
            }
            _ => false,
        }
    }

    /// The words of the message that the running thread has got.
    fn answered(&self, state: &State) -> [u64; REGISTERS] {
        let mut words = [0; REGISTERS];
        let in_registers = state.runs.iter().flat_map(|runs| {
            Plain::<A>::CONVENTION.words.map(|position| runs.registers.get(position).copied().unwrap_or(0))
        });
        words
            .iter_mut()
            .zip(in_registers.chain(state.message.iter().copied()))
            .for_each(|(to, word)| *to = word);
        words
    }

    /// Compares the state with the target's. The core has not written the `unsent` words of the running thread's buffer that are
    /// still the same.
    fn compare_state(&mut self, state: &State) -> Result<(), String> {
        let (runs, target) = (self.running(), state.runs.as_ref().map(|runs| runs.thread));
        if runs != target {
            return Err(format!("the target runs {}, the core {}", self.name(target), self.name(runs)));
        }
        if let Some(recorded) = &state.runs {
            self.compare_registers(recorded)?;
            let buffer = &self.kernel.machine.buffers()[self.thread(recorded)?];
            let has_message = self.calling.contains(&recorded.thread);
            let unsent = self.unsent.get(&recorded.thread).map_or(&[][..], Vec::as_slice);
            for (position, word) in (REGISTER_WORDS..).zip(&state.message).filter(|_| has_message) {
                let own = buffer.word(BufferWord::MESSAGE + position);
                if own == *word {
                    continue;
                }
                let is_unknown = self.reader == Some(recorded.thread)
                    && A::MAP.context.get(position).is_some_and(|word| A::PRESERVED.contains(word));
                if is_unknown || unsent.contains(&(position, own)) {
                    buffer.set_word(BufferWord::MESSAGE + position, *word);
                    continue;
                }
                let of = self.name(Some(recorded.thread));
                return Err(format!(
                    "word {position} of the message of {of} is {word:#x}, in the core {own:#x}"
                ));
            }
        }
        let own = self.kernel.state_words();
        match STATE_WORDS.into_iter().find(|(word, _)| own[*word] != state.words[*word]) {
            Some((word, name)) => {
                Err(format!("the {name} is {:#x}, in the core {:#x}", state.words[word], own[word]))
            }
            None => Ok(()),
        }
    }

    fn thread(&self, recorded: &Recorded) -> Result<ThreadId, String> {
        self.thread_at(recorded.thread)
    }

    fn thread_at(&self, index: usize) -> Result<ThreadId, String> {
        let id = Threads::<ReplayMachine<A>>::id(index as u64);
        id.ok_or_else(|| format!("there is no thread {index}"))
    }

    fn running(&self) -> Option<usize> {
        self.kernel.processor.current.map(index_of::<A>)
    }

    fn name(&self, thread: Option<usize>) -> String {
        match thread {
            Some(thread) => self.names.get(thread).cloned().unwrap_or_else(|| format!("thread {thread}")),
            None => "nothing".to_owned(),
        }
    }

    /// An event in words.
    fn describe(&self, event: &Event) -> String {
        let from = self.name(event.entered.as_ref().map(|recorded| recorded.thread));
        let [first, second, ..] = event.arguments;
        let what = match event.kind {
            EventKind::Syscall => match Syscall::from_raw(first.cast_signed()) {
                Some(syscall) => format!("system call {syscall:?}"),
                None => format!("system call {}", first.cast_signed()),
            },
            EventKind::Interrupt => match event.interrupt {
                NO_INTERRUPT if event.mail.is_some() => "interrupt of another processor".to_owned(),
                NO_INTERRUPT => "interrupt without a line".to_owned(),
                TIMER_LINE => "interrupt of the timer".to_owned(),
                line => format!("interrupt of line {line}"),
            },
            EventKind::WorkDone => "end of the work of a service".to_owned(),
            EventKind::DataFault | EventKind::InstructionFault => format!("page fault at {first:#x}"),
            EventKind::Exception | EventKind::FpuUse => {
                format!("exception {first:#x} with code {second:#x}")
            }
            EventKind::Sampled => "fault that its probe samples".to_owned(),
        };
        let mut text = format!("event {} from {from}: {what}", event.number);
        if let (EventKind::Syscall, Some(entered)) = (event.kind, &event.entered) {
            let register = |position: usize| entered.registers.get(position).copied().unwrap_or(0);
            let places = Plain::<A>::CONVENTION;
            let words = places.words.map(|place| format!("{:#x}", register(place))).join(" ");
            _ = write!(
                text,
                ", capability {:#x}, info {:#x}, words {words}, reply {:#x}",
                register(places.cptr),
                register(places.info),
                register(places.reply)
            );
        }
        text
    }

    fn report(&self, event: &str, problem: &str) -> String {
        let mut text = format!("{event}\n  {problem}\nthe events before:\n");
        self.last.iter().for_each(|event| _ = writeln!(text, "  {event}"));
        text
    }
}

fn core_event(event: &Event) -> CoreEvent {
    let [first, second, ..] = event.arguments;
    let exception = Fault::UserException { number: first, code: second };
    match event.kind {
        EventKind::Syscall => CoreEvent::Syscall(first.cast_signed()),
        EventKind::DataFault => {
            CoreEvent::Fault(Fault::Vm { address: first, access: Access::Data, status: second })
        }
        EventKind::InstructionFault => {
            CoreEvent::Fault(Fault::Vm { address: first, access: Access::Instruction, status: second })
        }
        EventKind::Exception | EventKind::Sampled => CoreEvent::Fault(exception),
        EventKind::FpuUse => CoreEvent::FpuUse(exception),
        EventKind::Interrupt => CoreEvent::Interrupt,
        EventKind::WorkDone => CoreEvent::WorkDone(ServiceResult { words: event.arguments }),
    }
}

#[cfg(test)]
mod tests {
    use limen_abi::MessageInfo;
    use limen_abi::limits::{PAGE_BYTES, USER_TOP_RISCV64};
    use limen_abi::message::REGISTER_WORDS;
    use limen_abi::slot;
    use limen_image::{Board, Cap as CapRecord, CapKind, ImageWriter, NONE, Range, SchedContext, Thread};

    use super::*;

    /// Capabilities of the parent to its child, each as a slot and as the pointer to it; the second in a root slot.
    const CHILD: [(u64, u64); 2] = [(1, 1), (slot::ROOT + 3, 3 << (u64::BITS - slot::ROOT_BITS))];
    /// The number of registers that the parent reads.
    const READ: usize = 6;

    /// A parent, which runs, and a child of lower priority.
    fn family() -> Vec<u64> {
        let mut writer = ImageWriter::new(Architecture::Riscv64);
        writer.board = Board { user_top: USER_TOP_RISCV64, ..Board::default() };
        writer.counts.vspaces = 2;
        writer.ram = vec![Range { start: 0, end: 0x10_0000 }];
        writer.reserved = vec![Range { start: 0, end: 0x1_0000 }];
        writer.pool = Range { start: 0x1_0000, end: 0x8_0000 };
        let time = SchedContext { budget_us: 100, period_us: 100, processor: 0 };
        writer.sched_contexts = vec![time; 2];
        let thread = |index| Thread {
            priority: 10 - index,
            vspace: index,
            ipc_buffer: PAGE_BYTES,
            notification: NONE,
            sched_context: index,
            fault_slot: NONE,
            timeout_slot: NONE,
            ..Thread::default()
        };
        writer.threads = [0, 1].map(thread).to_vec();
        let control =
            |(slot, _)| CapRecord { slot, kind: CapKind::Thread as u64, object: 1, ..CapRecord::default() };
        writer.caps = CHILD.map(control).to_vec();
        writer.finish(0, PAGE_BYTES)
    }

    fn boot<'i>(image: &Image<'_>, names: &'i [String]) -> Replay<'i, Riscv64> {
        let state = State { runs: None, message: Vec::new(), words: [0; StateWord::LENGTH] };
        Replay::boot(
            image,
            names,
            &Boot { state, frequency: 1_000_000, fpu_options: 0, processor: 0, switches_page_tables: false },
        )
    }

    /// The parent reads the registers of its child. The target has these values in them, and the core zeros.
    fn read(child: u64, values: [u64; READ], is_complete: bool) -> Result<(), String> {
        let words = family();
        let (image, names) = (Image::validate(&words).unwrap(), ["parent", "child"].map(str::to_owned));
        let places = Plain::<Riscv64>::CONVENTION;
        let mut registers = vec![0; Plain::<Riscv64>::REGISTERS];
        registers[places.cptr] = child;
        registers[places.info] = MessageInfo::new(Label::TcbReadRegisters.as_raw(), 2).as_raw();
        registers[places.words[1]] = READ as u64;
        let mut event = Event {
            number: 1,
            entry: None,
            kind: EventKind::Syscall,
            arguments: [Syscall::Call.as_raw().cast_unsigned(), 0, 0, 0],
            prints: false,
            entered: Some(Recorded { thread: 0, registers }),
            left: None,
            message: Vec::new(),
            extra: Vec::new(),
            mail: None,
            recalls: Vec::new(),
            signals: Vec::new(),
            patchings: Vec::new(),
            interrupt: NO_INTERRUPT,
            readings: Vec::new(),
            state: State { runs: None, message: Vec::new(), words: [0; StateWord::LENGTH] },
        };
        // What the core does is what the target does, but for the values.
        let mut core = boot(&image, &names);
        let entered = event.entered.clone().unwrap();
        core.enter(&entered, &event).unwrap();
        core.kernel.handle(core_event(&event));
        let thread = core.thread_at(0).unwrap();
        let context = &core.kernel.threads[thread].context;
        let mut registers: Vec<_> = (0..Plain::<Riscv64>::REGISTERS).map(|at| context.register(at)).collect();
        assert_eq!(context.info(), MessageInfo::new(0, READ));
        places.words.iter().zip(values).for_each(|(place, value)| registers[*place] = value);
        event.state = State {
            runs: Some(Recorded { thread: 0, registers }),
            message: values[REGISTER_WORDS..].to_vec(),
            words: core.kernel.state_words(),
        };
        let mut replay = boot(&image, &names);
        if !is_complete {
            replay.incomplete.insert(1);
        }
        replay.follow(&event)
    }

    /// The fourth is in a register of the parent, and the others in its buffer.
    #[test]
    fn registers_that_only_the_port_knows_are_read_from_the_recording() {
        assert_eq!(Riscv64::MAP.context[3], "gp");
        let values = [0, 0, 0, 7, 8, 9];
        for (_, child) in CHILD {
            assert_eq!(read(child, [0; READ], true), Ok(()));
            assert_eq!(read(child, values, false), Ok(()));
            assert_eq!(read(child, values, true), Err("a5 of parent is 0x7, in the core 0x0".to_owned()));
            let wrong = read(child, [0, 0, 7, 0, 0, 0], false);
            assert_eq!(wrong, Err("a4 of parent is 0x7, in the core 0x0".to_owned()));
        }
    }
}
