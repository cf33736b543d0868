//! Three threads on a toy processor, under each policy: who owns its registers, and how often they move.
//!
//! Two threads compute, the third must not use the unit. Each thread adds to a register whenever it runs; at the end
//! every thread must find its own sum.
//!
//! ```sh
//! cargo run -p limen-fpu --example toy
//! ```

use limen_fpu::{Fpu, FpuPolicy, FpuUnit, Name, Taken};

/// A thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Thread {
    Audio,
    Video,
    /// May not use the unit.
    Logger,
}
use Thread::{Audio, Logger, Video};

impl Name for Thread {}

impl Thread {
    /// The thread, if it may use the unit.
    fn user(self) -> Option<Self> {
        (self != Logger).then_some(self)
    }
}

/// A unit with one register, and a save area for each thread.
#[derive(Default)]
struct Toy {
    is_on: bool,
    register: u64,
    areas: [u64; 3],
}

impl FpuUnit<Thread> for Toy {
    fn exchange(&mut self, from: Option<Thread>, to: Thread) {
        from.into_iter().for_each(|from| self.save(from));
        self.load(Some(to));
    }

    fn save(&mut self, to: Thread) {
        assert!(self.is_on);
        self.areas[to as usize] = self.register;
    }

    fn load(&mut self, from: Option<Thread>) {
        assert!(self.is_on);
        self.register = from.map_or(0, |from| self.areas[from as usize]);
    }

    fn renew(&mut self, owner: Option<Thread>) {
        self.is_on = true;
        owner.into_iter().for_each(|owner| self.save(owner));
        self.load(None);
        self.is_on = false;
    }

    fn enable(&mut self) {
        self.is_on = true;
    }

    fn disable(&mut self) {
        self.is_on = false;
    }
}

/// A processor.
struct Processor {
    fpu: Fpu<Thread>,
    unit: Toy,
}

impl Processor {
    /// Runs a thread until the next switch. It adds 1 to its register, unless it may not.
    fn run(&mut self, thread: Thread) {
        self.fpu.switch_to(&mut self.unit, thread, thread.user());
        // A use of the disabled unit traps; the thread repeats the instruction if it gets the unit.
        if thread != Logger && !self.unit.is_on {
            assert_eq!(self.fpu.take_over(&mut self.unit, thread.user()), Taken::Yes);
        }
        if self.unit.is_on {
            self.unit.register += 1;
        }
    }

    /// The sum of a thread, after its registers were saved.
    fn sum(&mut self, thread: Thread) -> u64 {
        self.fpu.release(&mut self.unit, thread);
        self.unit.areas[thread as usize]
    }
}

/// Runs threads in this order under a policy, and returns the sums of both that compute.
fn compare(policy: FpuPolicy, order: &[Thread]) -> [u64; 2] {
    let mut processor = Processor { fpu: Fpu::EMPTY, unit: Toy::default() };
    processor.fpu.set_policy(&mut processor.unit, policy, limen_fpu::Options::NONE);
    order.iter().for_each(|thread| processor.run(*thread));
    let counters = *processor.fpu.counters();
    println!(
        "{:<12} {:>5} {:>5} {:>7} {:>5}",
        format!("{policy:?}"),
        counters.saves(),
        counters.loads(),
        counters.enables() + counters.disables(),
        counters.faults()
    );
    [processor.sum(Audio), processor.sum(Video)]
}

/// Prints a line for each policy.
fn main() {
    let order = [Audio, Logger, Audio, Logger, Audio, Video, Audio, Logger, Logger, Video];
    println!("policy       saves loads toggles traps");
    for policy in [FpuPolicy::SemiLazy, FpuPolicy::Eager, FpuPolicy::FaultLazy, FpuPolicy::EarlySave] {
        assert_eq!(compare(policy, &order), [4, 2]);
    }
}

#[test]
fn every_thread_finds_its_own_registers_under_every_policy() {
    main();
}
