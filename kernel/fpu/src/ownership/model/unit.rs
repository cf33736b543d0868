//! A unit with symbolic registers, a save area for each name, and a spare area.

use super::{Content, PARTS, THREADS, Thread, USERS, Width};
use crate::counters::Counters;
use crate::mask::{All, Mask};
use crate::unit::{FpuUnit, SectionUnit, WorkerUnit};

/// All registers.
pub(crate) type File = [Content; PARTS];

/// The parts of a mask.
fn parts<M: Mask>() -> core::ops::Range<usize> {
    if M::REGISTERS == All::REGISTERS { Width::All.parts() } else { Width::Some.parts() }
}

/// Registers and save areas.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Unit {
    pub(crate) is_up: bool,
    pub(in super::super) is_on: bool,
    pub(crate) registers: File,
    pub(in super::super) areas: [File; USERS],
    /// The area without an owner.
    spare: File,
    /// The operations performed by the current step.
    pub(in super::super) done: Counters,
}

impl Unit {
    /// The state after boot. Each thread has its own registers; those of work are left from abandoned work.
    pub(crate) fn booted() -> Self {
        Self {
            is_up: true,
            is_on: false,
            registers: [Content::Initial; PARTS],
            areas: core::array::from_fn(|user| match user {
                0..THREADS => [Content::Latest(user as Thread); PARTS],
                _ => [Content::Old(user as Thread); PARTS],
            }),
            spare: [Content::Initial; PARTS],
            done: Counters::ZERO,
        }
    }

    /// Writes some registers of a user: every other copy becomes old.
    pub(super) fn write(&mut self, user: Thread, part: usize, content: Content) {
        for file in self.areas.iter_mut().chain([&mut self.registers, &mut self.spare]) {
            if file[part] == Content::Latest(user) {
                file[part] = Content::Old(user);
            }
        }
        self.registers[part] = content;
    }

    /// Makes old what was written under this name: it is not read again.
    pub(super) fn forget(&mut self, user: Thread) {
        self.areas[usize::from(user)] = [Content::Old(user); PARTS];
        for content in &mut self.registers {
            if *content == Content::Latest(user) {
                *content = Content::Old(user);
            }
        }
    }

    /// Spoils the areas that must not be read: the spare one, and the owner's, whose registers are in the unit. So
    /// states that differ only there become equal.
    pub(super) fn spoil(&mut self, owner: Option<Thread>) {
        self.spare = [Content::Kernel; PARTS];
        if let Some(owner) = owner {
            self.areas[usize::from(owner)] = [Content::Old(owner); PARTS];
        }
    }

    fn area(&mut self, owner: Option<Thread>) -> &mut File {
        owner.map_or(&mut self.spare, |user| &mut self.areas[usize::from(user)])
    }
}

impl FpuUnit<Thread> for Unit {
    fn exchange(&mut self, from: Option<Thread>, to: Thread) {
        self.save(from.expect("an owner while the unit is on"));
        self.load(Some(to));
    }

    fn save(&mut self, to: Thread) {
        assert!(self.is_on, "registers are saved while the unit is off");
        self.done.saves += 1;
        self.areas[usize::from(to)] = self.registers;
    }

    fn load(&mut self, from: Option<Thread>) {
        assert!(self.is_on, "registers are loaded while the unit is off");
        self.done.loads += 1;
        self.registers = from.map_or([Content::Initial; PARTS], |thread| self.areas[usize::from(thread)]);
    }

    fn renew(&mut self, owner: Option<Thread>) {
        *self.area(owner) = self.registers;
        (self.is_on, self.registers) = (false, [Content::Initial; PARTS]);
        let done = &mut self.done;
        for count in [&mut done.saves, &mut done.loads, &mut done.enables, &mut done.disables] {
            *count += 1;
        }
    }

    fn enable(&mut self) {
        assert!(!self.is_on, "the unit is turned on twice");
        self.is_on = true;
        self.done.enables += 1;
    }

    fn disable(&mut self) {
        assert!(self.is_on, "the unit is turned off twice");
        self.is_on = false;
        self.done.disables += 1;
    }
}

impl SectionUnit<Thread> for Unit {
    const IS_ALWAYS_REACHED: bool = false;

    fn is_up(&self) -> bool {
        self.is_up
    }

    /// Saves registers, which the handler may have written from here on.
    fn save_for_section<M: Mask>(&mut self, owner: Option<Thread>) {
        assert!(self.is_on, "the kernel uses registers while the unit is off");
        for part in parts::<M>() {
            self.area(owner)[part] = self.registers[part];
            self.registers[part] = Content::Kernel;
        }
    }

    fn restore_after_section<M: Mask>(&mut self, owner: Option<Thread>) {
        assert!(self.is_on, "the kernel uses registers while the unit is off");
        for part in parts::<M>() {
            assert_eq!(
                self.registers[part],
                Content::Kernel,
                "the registers of a section were changed outside of it"
            );
            self.registers[part] = self.area(owner)[part];
        }
    }
}

/// The registers of the work under a name.
pub(super) struct WorkersUnit<'a>(pub(super) &'a mut Unit, pub(super) Thread);

impl WorkerUnit for WorkersUnit<'_> {
    fn clear<M: Mask>(&mut self) {
        assert!(self.0.is_on, "the kernel clears registers while the unit is off");
        for part in parts::<M>() {
            self.0.write(self.1, part, Content::Initial);
        }
    }
}
