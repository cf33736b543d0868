//! A running system: what the tests do to it, and what is checked after every event.

use limen_abi::message::BufferWord;
use limen_core::Kernel;
use limen_core::boot::{caps, place};
use limen_core::event::Event;
use limen_core::fault::Fault;
use limen_core::kernel::{Threads, Vspaces};
use limen_core::machine::{self, Machine, Ticks};
use limen_core::message::MessageBuffer;
use limen_core::object::service::Work;
use limen_image::{Image, Options};

use super::context::{COUNT, PC, SP, SPSR, TestContext};
use super::controller::{Controller, Wiring};
use super::machine::{Clock, HostMachine, Space};
use super::plan::{Interrupt, Thread};
use super::twins::Ways;

/// A kernel with its machine, and the names of its threads.
#[derive(Debug)]
pub(crate) struct System {
    /// The kernel under test.
    pub(crate) kernel: Box<Kernel<HostMachine>>,
    /// Names of the threads, by index.
    pub(crate) names: Vec<String>,
    /// How many objects there are.
    pub(crate) size: Size,
    /// When the state is checked.
    pub(crate) checking: Checking,
    /// Which ways the kernel may take.
    pub(crate) ways: Ways,
    /// What becomes of open calls after each event.
    pub(crate) open_calls: OpenCalls,
}

/// What becomes of calls that the kernel has not written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpenCalls {
    /// They are settled, so that the test can look at the objects.
    AreSettled,
    /// They stay open, and nothing is checked.
    AreLeft,
}

/// When the state of a system is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checking {
    /// After every event.
    EachEvent,
    /// When the test says so.
    ByHand,
}

/// How many objects of each kind a system has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) endpoints: usize,
    pub(crate) notifications: usize,
    pub(crate) replies: usize,
    pub(crate) sched_contexts: usize,
    pub(crate) interrupts: usize,
}

impl Size {
    fn of(image: &Image<'_>) -> Self {
        let counts = image.counts();
        Self {
            endpoints: counts.endpoints as usize,
            notifications: counts.notifications as usize,
            replies: counts.replies as usize,
            sched_contexts: image.sched_contexts().count(),
            interrupts: image.interrupts().count(),
        }
    }
}

impl System {
    /// Boots from the words of an image on a machine with these lines, and gives every thread registers that are easy to
    /// tell apart.
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

    /// Boots from the words of an image, and leaves everything as the kernel made it.
    pub(crate) fn boot_plain(image: &[u64], names: Vec<String>, clock: Clock, lines: &[Wiring]) -> Self {
        let image = Image::validate(image).expect("the image is valid");
        let mut machine = HostMachine::new(HostMachine::empty_tables(), clock);
        machine.controller = Controller::new(lines);
        for (thread, slot, cap) in caps::<HostMachine>(&image) {
            place(&mut machine.tables[thread], &mut machine.roots[thread], slot, cap);
        }
        machine.is_printing = image.options() & Options::PRINTING != 0;
        let mut kernel = Box::new(Kernel::new(machine));
        kernel.populate(&image, |index, _| Vspaces::<HostMachine>::id(index).map(|_| Space(index)));
        kernel.start();
        let measures = image.options() & Options::MEASURE_UTILISATION != 0;
        // Where use is measured, nobody is the current thread between two events.
        let checking = if measures { Checking::ByHand } else { Checking::EachEvent };
        let system = Self {
            kernel,
            names,
            size: Size::of(&image),
            checking,
            ways: Ways::Short,
            open_calls: OpenCalls::AreSettled,
        };
        if checking == Checking::EachEvent {
            system.verify("boot");
        }
        system
    }

    /// Every thread of the plan.
    pub(crate) fn threads(&self) -> impl Iterator<Item = Thread> + use<> {
        (0..self.names.len() as u64).map(Thread)
    }

    /// The thread that runs.
    pub(crate) fn current(&self) -> Option<Thread> {
        self.kernel.processor.current.map(|id| Thread(Threads::<HostMachine>::index_of(id) as u64))
    }

    /// The name of a thread.
    pub(crate) fn name(&self, thread: Thread) -> &str {
        &self.names[thread.0 as usize]
    }

    /// The registers of a thread.
    pub(crate) fn context(&self, thread: Thread) -> &TestContext {
        &self.kernel.threads[thread.id()].context
    }

    /// The registers of the program of a thread, also while the kernel works for it.
    pub(crate) fn program(&self, thread: Thread) -> &TestContext {
        self.kernel.works[thread.id()].as_ref().map_or(self.context(thread), Work::program)
    }

    /// The registers of a thread, to be changed as its program would.
    pub(crate) fn context_mut(&mut self, thread: Thread) -> &mut TestContext {
        &mut self.kernel.threads[thread.id()].context
    }

    /// A register of a thread, by position.
    pub(crate) fn register(&self, thread: Thread, position: usize) -> u64 {
        self.context(thread).registers[position]
    }

    /// The message buffers of the threads.
    pub(crate) fn buffers(&self) -> Vec<Vec<u64>> {
        let words =
            |buffer: &MessageBuffer| (0..BufferWord::COUNT).map(|offset| buffer.word(offset)).collect();
        self.threads().map(|thread| words(&self.kernel.machine.buffers()[thread.id()])).collect()
    }

    /// Where a thread is.
    pub(crate) fn pc(&self, thread: Thread) -> u64 {
        self.register(thread, PC)
    }

    /// Lets the kernel serve an event, then checks everything that must be true between two events.
    pub(crate) fn event(&mut self, event: Event) {
        let runs = match event {
            Event::Syscall(number) if self.ways == Ways::Short => self.kernel.serve_syscall(number).copied(),
            Event::Fault(fault) if self.ways == Ways::Short => self.kernel.serve_fault(fault).copied(),
            _ => {
                self.kernel.handle(event);
                self.kernel.running().copied()
            }
        };
        assert_eq!(runs, self.kernel.running().copied(), "other registers are returned to");
        if self.open_calls == OpenCalls::AreLeft {
            return;
        }
        self.kernel.settle_call();
        if self.checking == Checking::EachEvent {
            self.verify(event);
        }
    }

    /// The running thread does something that it may not.
    pub(crate) fn fault(&mut self, thread: Thread, fault: Fault) {
        self.expect_current(thread);
        self.event(Event::Fault(fault));
    }

    /// The running thread, which has no fault handler, goes out of the way: it faults and stops.
    pub(crate) fn stop(&mut self, thread: Thread) {
        self.fault(thread, Fault::UserException { number: 0, code: 0 });
        self.assert_inactive(thread);
    }

    /// Time passes.
    pub(crate) fn pass(&mut self, ticks: Ticks) {
        self.kernel.machine.now += ticks;
    }

    /// Time passes until the timer interrupts.
    pub(crate) fn run_to_timer(&mut self) {
        let machine = &mut self.kernel.machine;
        assert_ne!(machine.deadline, Ticks::MAX, "the timer is not set");
        machine.now = machine.now.max(machine.deadline);
        self.interrupt(machine::Interrupt::Timer);
    }

    /// Time passes, and the timer interrupts whenever it is due.
    pub(crate) fn run_for(&mut self, ticks: Ticks) {
        let end = self.kernel.machine.now + ticks;
        while self.kernel.machine.deadline <= end {
            self.run_to_timer();
        }
        self.kernel.machine.now = end;
    }

    /// An interrupt arrives.
    pub(crate) fn interrupt(&mut self, interrupt: machine::Interrupt) {
        self.kernel.machine.interrupt = Some(interrupt);
        self.event(Event::Interrupt);
    }

    /// The device asserts the line of an interrupt, or lets go of it. The processor does not notice yet.
    pub(crate) fn set_asserted(&mut self, interrupt: Interrupt, asserted: bool) {
        self.kernel.machine.controller.set_asserted(interrupt.line(), asserted);
    }

    /// An edge on the line of an interrupt. The processor does not notice yet.
    pub(crate) fn edge(&mut self, interrupt: Interrupt) {
        self.set_asserted(interrupt, true);
        self.set_asserted(interrupt, false);
    }

    /// The processor takes whatever interrupts; gives how often it was interrupted.
    pub(crate) fn take_interrupts(&mut self) -> usize {
        let mut count = 0;
        while let Some(line) = self.kernel.machine.controller.acknowledge() {
            self.interrupt(machine::Interrupt::Line(line));
            count += 1;
        }
        count
    }

    /// Fails unless this thread runs; only a running thread can do anything.
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

/// What the tests put into a register at boot.
pub(crate) fn pattern(thread: Thread, position: usize) -> u64 {
    0xdead_0000_0000_0000 | thread.0 << 16 | position as u64
}
