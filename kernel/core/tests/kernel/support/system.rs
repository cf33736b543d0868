//! A running system: its operations, and the checks after every event.

use std::sync::atomic::Ordering;

use limen_abi::message::BufferWord;
use limen_abi::trace::{HeaderWord, RecordWord, TraceKind};
use limen_abi::{KernelKey, ProbeEvent, Syscall, limits};
use limen_core::Kernel;
use limen_core::boot::{caps, place};
use limen_core::event::Event;
use limen_core::fault::Fault;
use limen_core::kernel::{Threads, Vspaces};
use limen_core::machine::{self, Machine, Ticks};
use limen_core::object::probe::{ExitStamp, Rest};
use limen_core::object::service::Work;
use limen_image::{Image, Options};
use limen_replay::abstraction::Facts;
use limen_replay::reference::Reference;
use limen_spec::probe::Entry;
use limen_spec::registers::InstructionSet;
use limen_spec::trace::Record;

use super::context::{COUNT, PC, SP, SPSR, TestContext};
use super::controller::{Controller, Wiring};
use super::machine::{Clock, HostMachine, READ_ONLY, Space};
use super::plan::{Interrupt, Thread};
use super::twins::Paths;

/// Slots of the ring of a trace that the image has.
const TRACE_SLOTS: usize = 128;
/// The counter at entries, beside the time.
const STAMPS: u64 = 0x57a3_0000_0000;

/// A kernel with its machine and the names of its threads.
#[derive(Debug)]
pub(crate) struct System {
    /// The kernel under test.
    pub(crate) kernel: Box<Kernel<HostMachine>>,
    /// The names of the threads, by index.
    pub(crate) names: Vec<String>,
    /// The number of objects of each kind.
    pub(crate) size: Size,
    /// When the state is checked.
    pub(crate) checking: Checking,
    /// The paths that the kernel may use.
    pub(crate) paths: Paths,
    /// The specification that the kernel is held against, if any.
    pub(crate) reference: Option<Box<Reference>>,
    /// The facts that the specification needs.
    pub(crate) facts: Facts,
    /// Whether traps go through the probes while a program probes.
    pub(crate) probes: Probes,
    /// How the return from the last event is stamped.
    pub(crate) exit: ExitStamp,
    /// The number of records in the trace when the last event was served.
    pub(crate) traced: u64,
    /// Whether open calls are flushed after each event.
    pub(crate) open_calls: OpenCalls,
    /// The image.
    pub(crate) image: Vec<u64>,
    /// The words that were recorded.
    pub(crate) recorded: Vec<u64>,
}

/// Treatment of an open call after an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpenCalls {
    /// Flush it, so that the test can inspect the objects.
    Flush,
    /// Keep it, and check nothing.
    Keep,
}

/// The way of traps while a program probes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Probes {
    /// Traps pass by the probes: the test calls them.
    Aside,
    /// Traps go through the probes, as in the ports.
    OnTheWay,
}

/// When the state of a system is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checking {
    /// After every event.
    EachEvent,
    /// When the test calls [`System::verify`].
    ByHand,
}

/// The number of objects of each kind in a system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) endpoints: usize,
    pub(crate) notifications: usize,
    pub(crate) replies: usize,
    pub(crate) sched_contexts: usize,
    pub(crate) interrupts: usize,
    pub(crate) keys: usize,
}

impl Size {
    fn of(image: &Image<'_>) -> Self {
        let counts = image.counts();
        Self {
            endpoints: counts.endpoints as usize,
            notifications: counts.notifications as usize,
            replies: counts.replies as usize,
            sched_contexts: sched_contexts(image),
            interrupts: image.interrupts().count(),
            keys: image.keys().count(),
        }
    }
}

/// The entries of scheduling contexts that may be in use: with several processors, those of guests, too.
fn sched_contexts(image: &Image<'_>) -> usize {
    let own = image.sched_contexts().count();
    if image.processors() == 1 { own } else { (own + image.threads().count()).min(limits::SCHED_CONTEXTS) }
}

impl System {
    /// Boots from an image on a machine with these lines, and fills the registers of each thread with distinct values.
    pub(crate) fn boot(image: &[u64], names: Vec<String>, clock: Clock, lines: &[Wiring]) -> Self {
        let mut system = Self::boot_plain(image, names, clock, lines);
        for thread in system.threads() {
            let context = system.context_mut(thread);
            for position in (0..COUNT).filter(|position| ![PC, SP, SPSR].contains(position)) {
                context.registers[position] = pattern(thread, position);
            }
        }
        system
    }

    /// Boots from an image and leaves everything as the kernel initialised it.
    pub(crate) fn boot_plain(image: &[u64], names: Vec<String>, clock: Clock, lines: &[Wiring]) -> Self {
        let machine = HostMachine::new(HostMachine::empty_tables(), clock);
        Self::boot_on(0, machine, image, names, lines)
    }

    /// Boots the kernel of the processor with this number.
    pub(crate) fn boot_on(
        number: u8,
        mut machine: HostMachine,
        image: &[u64],
        names: Vec<String>,
        lines: &[Wiring],
    ) -> Self {
        let words = image;
        let image = Image::validate(image).expect("the image is valid");
        machine.controller = Controller::new(lines);
        for (thread, slot, cap) in caps::<HostMachine>(&image) {
            place(&mut machine.tables[thread], &mut machine.roots[thread], slot, cap);
        }
        machine.is_printing = image.options() & Options::PRINTING != 0;
        if image.trace().is_some() {
            machine.make_trace(TRACE_SLOTS);
            machine.trace_groups = image.options() & Options::TRACE;
        }
        machine.kernel_keys = image.keys().map(|key| KernelKey::from_raw(key.kernel)).collect();
        let mut kernel = Box::new(Kernel::new(machine));
        kernel.populate(&image, number, |index, _| Vspaces::<HostMachine>::id(index).map(|_| Space(index)));
        let begin = kernel.machine.now();
        kernel.start(begin);
        let measures = image.options() & Options::MEASURE_UTILISATION != 0;
        // In an image that measures utilisation, no thread is current between events. Miri would take minutes for a test.
        let checking = if measures || cfg!(miri) { Checking::ByHand } else { Checking::EachEvent };
        let system = Self {
            reference: None,
            facts: Facts::of(&image, &kernel.machine, InstructionSet::Aarch64).with_read_only(&READ_ONLY),
            kernel,
            names,
            size: Size::of(&image),
            checking,
            paths: Paths::All,
            probes: Probes::Aside,
            exit: ExitStamp::None,
            traced: 0,
            open_calls: OpenCalls::Flush,
            image: words.to_vec(),
            recorded: Vec::new(),
        };
        if checking == Checking::EachEvent {
            system.verify("boot");
        }
        system
    }

    /// Iterates over all threads of the plan.
    pub(crate) fn threads(&self) -> impl Iterator<Item = Thread> + use<> {
        (0..self.names.len() as u64).map(Thread)
    }

    /// Returns the running thread.
    pub(crate) fn current(&self) -> Option<Thread> {
        self.kernel.processor.current.map(|id| Thread(Threads::<HostMachine>::index_of(id) as u64))
    }

    /// Returns the name of a thread.
    pub(crate) fn name(&self, thread: Thread) -> &str {
        &self.names[thread.0 as usize]
    }

    /// Returns the registers of a thread.
    pub(crate) fn context(&self, thread: Thread) -> &TestContext {
        &self.kernel.threads[thread.id()].context
    }

    /// Returns the registers of a thread's program, even while the thread executes the work of a service.
    pub(crate) fn program(&self, thread: Thread) -> &TestContext {
        self.kernel.works[thread.id()].as_ref().map_or(self.context(thread), Work::program)
    }

    /// Returns the registers of a thread for changes like those of its program.
    pub(crate) fn context_mut(&mut self, thread: Thread) -> &mut TestContext {
        &mut self.kernel.threads[thread.id()].context
    }

    /// Returns a register of a thread by its position.
    pub(crate) fn register(&self, thread: Thread, position: usize) -> u64 {
        self.context(thread).registers[position]
    }

    /// Returns the message buffers of all threads.
    pub(crate) fn buffers(&self) -> Vec<Vec<u64>> {
        self.threads().map(|thread| self.buffer(thread)).collect()
    }

    /// Returns the words of the message buffer of a thread.
    pub(crate) fn buffer(&self, thread: Thread) -> Vec<u64> {
        let buffer = &self.kernel.machine.buffers()[thread.id()];
        (0..BufferWord::COUNT).map(|offset| buffer.word(offset)).collect()
    }

    /// Returns the program counter of a thread.
    pub(crate) fn pc(&self, thread: Thread) -> u64 {
        self.register(thread, PC)
    }

    /// Passes an event to the kernel, then checks all invariants.
    pub(crate) fn event(&mut self, event: Event) {
        let is_recording = self.kernel.machine.is_recording;
        let writes_record = event == Event::Syscall(Syscall::Trace.as_raw());
        let is_traced = self.is_tracing() && !writes_record && !is_recording;
        let before = is_traced.then(|| self.kernel.trace_begin(&event));
        self.traced = self.count_records();
        let entry = self.entry(&event);
        self.prepare_reference(entry);
        let specified = self.reference.is_some().then(|| self.specified(&event));
        self.handle(event, entry);
        if let Some(specified) = specified {
            self.compare_reference(&specified);
        }
        match before {
            Some(before) if self.is_tracing() => self.kernel.trace_end(&event, &before),
            // The event has turned the trace off.
            Some(_) => self.kernel.trace_less(),
            None => {}
        }
        if is_recording {
            self.take_recording();
        }
    }

    /// Whether the trace records what the kernel does.
    fn is_tracing(&self) -> bool {
        let machine = &self.kernel.machine;
        !machine.trace.is_empty() && machine.trace_groups & !KernelKey::TracePrograms.option() != 0
    }

    /// The number of records since boot.
    fn count_records(&self) -> u64 {
        let count = self.kernel.machine.trace.get(HeaderWord::COUNT);
        count.map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// The record that the last event itself has written, without those of the kernel about it.
    pub(crate) fn program_record(&self) -> Option<Record> {
        let ring = self.kernel.machine.trace_ring().filter(|_| !self.kernel.machine.is_recording)?;
        let count = self.count_records();
        assert!(count <= self.traced + 1, "an event writes several records");
        let record = &ring.slots[self.traced as usize % ring.slots.len()];
        let word = |word: usize| record[word].load(Ordering::Relaxed);
        let what = word(RecordWord::WHAT);
        (count > self.traced).then(|| Record {
            time: word(RecordWord::TIME),
            kind: TraceKind::from_raw(what & 0xff).expect("a kind"),
            thread: (what >> 16 & 0xffff) as usize,
            name: what >> 32,
            value: word(RecordWord::VALUE),
        })
    }

    /// How probes see the entry for an event. The number of an exception selects its kind.
    fn entry(&self, event: &Event) -> Option<Entry> {
        let machine = &self.kernel.machine;
        let is_probed = self.probes == Probes::OnTheWay && machine.probing.last() == Some(&true);
        let exceptions = [None, Some(ProbeEvent::Undefined), Some(ProbeEvent::Breakpoint)];
        let event = match event {
            Event::Syscall(_) => Some(ProbeEvent::Syscall),
            Event::Interrupt => Some(ProbeEvent::Interrupt),
            Event::Fault(Fault::Vm { .. }) => Some(ProbeEvent::PageFault),
            Event::Fault(Fault::UserException { number, .. })
            | Event::FpuUse(Fault::UserException { number, .. }) => exceptions[*number as usize % 3],
            Event::Fault(_) | Event::FpuUse(_) | Event::WorkDone(_) => None,
        };
        is_probed.then_some(Entry { event, stamp: STAMPS.wrapping_add(machine.now) })
    }

    fn handle(&mut self, event: Event, entry: Option<Entry>) {
        let entry_of_probe = entry.filter(|_| !matches!(event, Event::WorkDone(_)));
        if let Some(entry) = entry_of_probe.filter(|_| self.kernel.machine.is_recording) {
            self.kernel.record_entry(entry.event, entry.stamp);
        }
        let runs = match (event, entry_of_probe) {
            (_, None) => self.watch(event, |system| system.serve(event)),
            (Event::Syscall(number), Some(entry)) if self.paths == Paths::All => {
                self.watch(event, |system| system.kernel.serve_probed_syscall(number, entry.stamp).copied())
            }
            (_, Some(entry)) => match self.kernel.probe_entry(entry.event, entry.stamp) {
                Rest::Serve => self.watch(event, |system| system.serve(event)),
                Rest::Return => {
                    if self.kernel.machine.is_recording {
                        self.kernel.record_sampled(self.kernel.machine.is_printing);
                    }
                    self.kernel.running().copied()
                }
            },
        };
        assert_eq!(runs, self.kernel.running().copied(), "the fast path returns to other registers");
        self.exit = if entry.is_some() { self.kernel.exit_stamp() } else { ExitStamp::None };
        if self.open_calls == OpenCalls::Keep {
            return;
        }
        self.kernel.flush_open_call();
        if self.checking == Checking::EachEvent {
            self.verify(event);
        }
    }

    /// Serves an event, and records it if the system is recorded.
    fn watch<T>(&mut self, event: Event, serve: impl FnOnce(&mut Self) -> T) -> T {
        let is_recording = self.kernel.machine.is_recording;
        if is_recording {
            self.kernel.record_begin(&event, self.kernel.machine.is_printing);
        }
        let result = serve(self);
        if is_recording {
            self.kernel.record_end();
        }
        result
    }

    /// Serves an event that no probe has consumed. Returns the registers of the running thread.
    fn serve(&mut self, event: Event) -> Option<TestContext> {
        match event {
            Event::Syscall(number) if self.paths == Paths::All => self.kernel.serve_syscall(number).copied(),
            Event::Fault(fault) if self.kernel.machine.is_printing => {
                self.kernel.serve_watched_fault(fault, true);
                self.kernel.running().copied()
            }
            Event::Fault(fault) if self.paths == Paths::All => self.kernel.serve_fault(|| fault).copied(),
            Event::Interrupt if self.paths == Paths::All => self.kernel.serve_interrupt().copied(),
            _ => {
                self.kernel.handle(event);
                self.kernel.running().copied()
            }
        }
    }

    /// The running thread faults.
    pub(crate) fn fault(&mut self, thread: Thread, fault: Fault) {
        self.expect_current(thread);
        self.event(Event::Fault(fault));
    }

    /// Stops the running thread by a fault; it must have no fault handler.
    pub(crate) fn stop(&mut self, thread: Thread) {
        self.fault(thread, Fault::UserException { number: 0, code: 0 });
        self.assert_inactive(thread);
    }

    /// Advances the time.
    pub(crate) fn pass(&mut self, ticks: Ticks) {
        self.kernel.machine.now += ticks;
    }

    /// Advances the time to the timer interrupt, which comes.
    pub(crate) fn run_to_timer(&mut self) {
        let machine = &mut self.kernel.machine;
        assert_ne!(machine.deadline, Ticks::MAX, "the timer is not set");
        machine.now = machine.now.max(machine.deadline);
        self.interrupt(machine::Interrupt::Timer);
    }

    /// Advances the time, with timer interrupts whenever they are due.
    pub(crate) fn run_for(&mut self, ticks: Ticks) {
        let end = self.kernel.machine.now + ticks;
        while self.kernel.machine.deadline <= end {
            self.run_to_timer();
        }
        self.kernel.machine.now = end;
    }

    /// Delivers an interrupt.
    pub(crate) fn interrupt(&mut self, interrupt: machine::Interrupt) {
        self.kernel.machine.interrupt = Some(interrupt);
        self.event(Event::Interrupt);
    }

    /// Sets whether the device asserts the line of an interrupt. The processor does not take the interrupt yet.
    pub(crate) fn set_asserted(&mut self, interrupt: Interrupt, asserted: bool) {
        self.kernel.machine.controller.set_asserted(interrupt.line(), asserted);
    }

    /// Makes an edge on the line of an interrupt. The processor does not take the interrupt yet.
    pub(crate) fn edge(&mut self, interrupt: Interrupt) {
        self.set_asserted(interrupt, true);
        self.set_asserted(interrupt, false);
    }

    /// Takes all pending interrupts and returns their number.
    pub(crate) fn take_interrupts(&mut self) -> usize {
        let mut count = 0;
        while let Some(line) = self.kernel.machine.controller.acknowledge() {
            self.interrupt(machine::Interrupt::Line(line));
            count += 1;
        }
        count
    }

    /// Fails unless this thread runs, because only the running thread can make system calls.
    pub(crate) fn expect_current(&self, thread: Thread) {
        if self.current() != Some(thread) {
            self.fail(&format!("{} should be running", self.name(thread)));
        }
    }

    /// Fails with a dump of the state.
    pub(crate) fn fail(&self, what: &str) -> ! {
        panic!("{what}\n{}", self.dump())
    }
}

/// The value that the tests put into a register at boot.
pub(crate) fn pattern(thread: Thread, position: usize) -> u64 {
    0xdead_0000_0000_0000 | thread.0 << 16 | position as u64
}
