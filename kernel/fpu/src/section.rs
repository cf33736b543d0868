//! Sections: kernel code that may change vector registers.
//!
//! ```text
//!   user, or none            registers of the unit's owner
//!        |  system call
//!   work for a thread        its own, under the thread's trusted name: the unit is switched as for any user; a section
//!                            clears its registers at its end
//!        |  interrupt
//!   interrupt handler        a nested section: it saves the registers that it asks for in the owner's save area, and
//!                            restores them at its end
//! ```
//!
//! Types decide which code may start a section, and the order in which sections end: each section is a function call. A
//! handler has an [`InterruptContext`], which borrows the unit and its ownership state, so that no thread switch can
//! occur inside its section:
//!
//! ```
//! use limen_fpu::mask::Low4;
//! use limen_fpu::{Fpu, InterruptContext, Name, SectionUnit};
//! fn handler<T: Name>(fpu: &mut Fpu<T>, unit: &mut impl SectionUnit<T>) -> Option<u32> {
//!     let mut context = InterruptContext::new(fpu, unit)?;
//!     Some(context.section::<Low4, _>(|_registers| 1))
//! }
//! ```
//!
//! A second section inside it does not compile:
//!
//! ```compile_fail,E0499
//! # use limen_fpu::mask::Low4;
//! # use limen_fpu::{Fpu, InterruptContext, Name, SectionUnit};
//! fn nests<T: Name>(mut context: InterruptContext<'_, T, impl SectionUnit<T>>) {
//!     context.section::<Low4, _>(|_| context.section::<Low4, _>(|_| ()));
//! }
//! ```
//!
//! nor a thread switch:
//!
//! ```compile_fail,E0500
//! # use limen_fpu::mask::Low4;
//! # use limen_fpu::{Fpu, InterruptContext, Name, SectionUnit};
//! fn switches<T: Name, U: SectionUnit<T>>(fpu: &mut Fpu<T>, unit: &mut U, next: T) {
//!     let mut context = InterruptContext::new(fpu, unit).unwrap();
//!     context.section::<Low4, _>(|_| fpu.switch_to(unit, next, None));
//! }
//! ```
//!
//! The right to use registers cannot leave its section:
//!
//! ```compile_fail
//! # use limen_fpu::mask::Low4;
//! # use limen_fpu::{InterruptContext, Name, SectionUnit};
//! fn keeps<T: Name>(mut context: InterruptContext<'_, T, impl SectionUnit<T>>) {
//!     let registers = context.section::<Low4, _>(|registers| registers);
//! }
//! ```
//!
//! Code without a borrow of the unit cannot create a context. That includes a handler of non-maskable interrupts, which
//! may interrupt code that holds the borrow.
//!
//! ```compile_fail,E0451
//! # use limen_fpu::{Fpu, InterruptContext, Name, SectionUnit};
//! fn non_maskable<'a, T: Name, U: SectionUnit<T>>(fpu: &'a mut Fpu<T>, unit: &'a mut U) -> InterruptContext<'a, T, U> {
//!     InterruptContext { fpu, unit }
//! }
//! ```

use core::marker::PhantomData;

use crate::mask::Mask;
use crate::ownership::Fpu;
use crate::unit::{Name, SectionUnit, WorkerUnit};

/// The right to change the registers of `M` until the section ends. It relies on the unit `U` to keep its contract.
#[derive(Debug)]
pub struct Open<'section, M, U> {
    section: PhantomData<&'section ()>,
    registers: PhantomData<fn() -> (M, U)>,
}

impl<M, U> Open<'_, M, U> {
    const fn new() -> Self {
        Self { section: PhantomData, registers: PhantomData }
    }
}

impl<M, U> Clone for Open<'_, M, U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M, U> Copy for Open<'_, M, U> {}

/// The context of an interrupt handler, which runs with interrupts off and has borrowed the unit.
#[derive(Debug)]
pub struct InterruptContext<'a, T, U> {
    fpu: &'a mut Fpu<T>,
    unit: &'a mut U,
}

impl<'a, T: Name, U: SectionUnit<T>> InterruptContext<'a, T, U> {
    /// The handler's context; `None` until boot has initialised the unit.
    #[inline]
    pub fn new(fpu: &'a mut Fpu<T>, unit: &'a mut U) -> Option<Self> {
        // A unit that is on is initialised. The section tests whether it is on in any case.
        (fpu.is_on() || unit.is_up()).then_some(Self { fpu, unit })
    }

    /// Calls `work` with the registers of `M`, whatever thread owns the unit, and whether it is on or off.
    ///
    /// The registers are saved to the owner's area. The area is free, because the owner's registers are in the unit,
    /// and the next thread switch saves to the same area: so no second place can be forgotten. At the end the saved
    /// registers overwrite those of the work.
    #[inline]
    pub fn section<M: Mask, R>(&mut self, work: impl FnOnce(Open<'_, M, U>) -> R) -> R {
        let open = Open::new();
        if M::REGISTERS == 0 && !M::CONTROL {
            return work(open);
        }
        let owner = self.fpu.owner();
        let is_reached = U::IS_ALWAYS_REACHED || self.fpu.is_on();
        if !is_reached {
            self.unit.enable();
        }
        self.unit.save_for_section::<M>(owner);
        let result = work(open);
        self.unit.restore_after_section::<M>(owner);
        if !is_reached {
            self.unit.disable();
        }
        result
    }
}

/// The context of kernel code at work for a thread. The unit is switched for it as for any user, under the thread's
/// trusted name.
#[derive(Debug)]
pub struct WorkerContext<U> {
    unit: U,
}

impl<U: WorkerUnit> WorkerContext<U> {
    /// The context of the code at work. The creator of a unit of this kind guarantees that this code is running.
    pub const fn new(unit: U) -> Self {
        Self { unit }
    }

    /// Calls `work` with the registers of `M`. They belong to this work, whatever interrupts it and whichever thread
    /// runs meanwhile. At the end they are cleared, so that none of their contents stay in the unit or are saved later.
    #[inline]
    pub fn section<M: Mask, R>(&mut self, work: impl FnOnce(Open<'_, M, U>) -> R) -> R {
        let result = work(Open::new());
        self.unit.clear::<M>();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::{All, Nothing};
    use crate::ownership::model::{Content, Unit};

    #[test]
    fn no_section_starts_before_the_unit_is_up() {
        let (mut fpu, mut unit) = (Fpu::<u8>::EMPTY, Unit::booted());
        unit.is_up = false;
        assert!(InterruptContext::new(&mut fpu, &mut unit).is_none());
        unit.is_up = true;
        let mut context = InterruptContext::new(&mut fpu, &mut unit).unwrap();
        assert_eq!(context.section::<All, _>(|_| 7), 7);
        assert_eq!(unit.registers, [Content::Initial; 2]);
    }

    #[test]
    fn a_section_without_registers_touches_nothing() {
        let (mut fpu, mut unit) = (Fpu::<u8>::EMPTY, Unit::booted());
        let before = unit.clone();
        InterruptContext::new(&mut fpu, &mut unit).unwrap().section::<Nothing, _>(|_| ());
        assert_eq!(unit, before);
    }
}
