//! Sections: stretches of kernel code that may change vector registers.
//!
//! ```text
//!   user, or nobody          registers of the unit's owner
//!        |  system call
//!   work for a thread        its own, by the thread's trusted name: the unit is switched for it as for any user; a
//!                            section clears them at its end
//!        |  interrupt
//!   interrupt handler        a nested section: what it asks for is put aside, where the owner's registers have their
//!                            place anyway, and put back at its end
//! ```
//!
//! Who may begin a section is a matter of types, and so is the order in which sections end: each is a function call.
//! A handler has an [`InterruptContext`], which borrows the unit and who owns it, so that no change of thread can happen
//! inside its section:
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
//! nor a change of thread:
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
//! The right to use registers does not leave its section:
//!
//! ```compile_fail
//! # use limen_fpu::mask::Low4;
//! # use limen_fpu::{InterruptContext, Name, SectionUnit};
//! fn keeps<T: Name>(mut context: InterruptContext<'_, T, impl SectionUnit<T>>) {
//!     let registers = context.section::<Low4, _>(|registers| registers);
//! }
//! ```
//!
//! And who was not lent the unit has no way to a context. A handler of non-maskable interrupts is such: it may have
//! interrupted whoever has borrowed it.
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

/// The right to change the registers of `M` until the section ends; as far as a unit `U` does what it promises.
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

/// What the handler of an interrupt has, and nobody else: it runs with interrupts off and has borrowed the unit.
#[derive(Debug)]
pub struct InterruptContext<'a, T, U> {
    fpu: &'a mut Fpu<T>,
    unit: &'a mut U,
}

impl<'a, T: Name, U: SectionUnit<T>> InterruptContext<'a, T, U> {
    /// The handler's context; none as long as boot has not prepared the unit.
    #[inline]
    pub fn new(fpu: &'a mut Fpu<T>, unit: &'a mut U) -> Option<Self> {
        // What is on was prepared. The section asks whether it is on in any case.
        (fpu.is_on() || unit.is_up()).then_some(Self { fpu, unit })
    }

    /// Works with the registers of `M`, whoever's are in the unit, and whether it is on or off.
    ///
    /// They are put aside in the owner's area. It is free, because the owner's registers are in the unit, and it is where
    /// they go at the next change of thread: so there is no other place that they could be forgotten in. What the work
    /// has left in them is overwritten.
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
        self.unit.put_aside::<M>(owner);
        let result = work(open);
        self.unit.put_back::<M>(owner);
        if !is_reached {
            self.unit.disable();
        }
        result
    }
}

/// What the kernel's code has that works for a thread: the unit is switched for it, by the thread's trusted name, as for any
/// user.
#[derive(Debug)]
pub struct WorkerContext<U> {
    unit: U,
}

impl<U: WorkerUnit> WorkerContext<U> {
    /// The context of the code at work. Whoever makes a unit of this kind says that this code runs.
    pub const fn new(unit: U) -> Self {
        Self { unit }
    }

    /// Works with the registers of `M`. They are this work's own, whatever interrupts it and whoever runs meanwhile; at
    /// the end they are cleared, so that nothing of the work stays in the unit or is saved later.
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
    fn there_is_no_section_before_the_unit_is_up() {
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
