//! The keys of a program and the right to change them: `&mut Keys` stands for the lock of all writers of code.
//!
//! ```text
//!                link             preset               patch_all                  seal
//!   Sections --> Table --> Unpatched ----> Unpatched --------> Keys: any key ------------> Keys: no read-only key
//! ```

use core::sync::atomic::Ordering;
use core::{fmt, iter};

use crate::branch::{BUILD, Build};
use crate::call::StaticCall;
use crate::count::{self, Count, CountError, Decision, Operation};
use crate::encoding::Encoding;
use crate::engine::Engine;
use crate::key::BranchKey;
use crate::table::Table;

/// Keys whose initial states can still be set. Code does not follow them yet.
#[derive(Debug)]
#[must_use]
pub struct Unpatched<'a, A>(Table<'a, A>);

impl<'a, A: Encoding> Unpatched<'a, A> {
    /// The keys of a table.
    pub fn new(table: Table<'a, A>) -> Self {
        Self(table)
    }

    /// Sets a key's initial state.
    pub fn preset(&mut self, key: &BranchKey, state: bool) {
        key.publish(if state { Count::On(1) } else { Count::Off });
    }

    /// Patches code to the states of all keys.
    ///
    /// # Errors
    /// When the window cannot be opened. Then only some sites are patched, and the code must not be executed.
    pub fn patch_all<E: Engine>(self, mut engine: E) -> Result<Keys<'a, A, E>, KeyError> {
        self.0.patch_all(&mut engine)?;
        Ok(Keys { table: self.0, engine, phase: Phase::Open })
    }
}

/// All keys of a program, with the table and the engine that are needed to change them.
#[derive(Debug)]
pub struct Keys<'a, A, E> {
    table: Table<'a, A>,
    engine: E,
    phase: Phase,
}

/// Which keys may be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// All.
    Open,
    /// Those that are not read-only.
    Sealed,
}

/// Why a key was not changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyError {
    /// Its count does not allow it.
    Count(CountError),
    /// It is read-only, and keys are sealed.
    Sealed,
    /// This address holds an unexpected instruction: other code has changed the site.
    UnexpectedInstruction(usize),
    /// The patch window could not be opened. All sites are unchanged.
    NoWindow,
    /// The patch window could be opened for some sites, then neither for the others nor to undo the change. The code
    /// must not be executed any more.
    Torn,
    /// The target of a call is not in the code that can be patched, or too far away.
    OutOfReach,
    /// Branches on keys are constants in this build.
    Fixed,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count(CountError::Overflow) => "the static key has too many holders",
            Self::Count(CountError::Underflow) => "the static key has no holder that could release it",
            Self::Count(CountError::Counted) => "the static key has several holders",
            Self::Sealed => "the static key is read-only after boot",
            Self::UnexpectedInstruction(address) => {
                return write!(
                    f,
                    "the code at {address:#x}, a site of a static key, has been changed by other code"
                );
            }
            Self::NoWindow => "the sites of the static key cannot be patched",
            Self::Torn => "only some sites of the static key were patched",
            Self::OutOfReach => "the target of the static call is out of reach",
            Self::Fixed => "branches on static keys are constants in this build",
        })
    }
}

impl<'a, A: Encoding, E: Engine> Keys<'a, A, E> {
    /// The checked table.
    pub fn table(&self) -> &Table<'a, A> {
        &self.table
    }

    /// The engine.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// The engine, for code that is not in this table. A caller that changes code with a site breaks its key.
    pub fn engine_mut(&mut self) -> &mut E {
        &mut self.engine
    }

    /// Fixes the states of read-only keys.
    pub fn seal(&mut self) {
        self.phase = Phase::Sealed;
    }

    /// Adds a holder of the key.
    ///
    /// # Errors
    /// See [`KeyError`]; the key is unchanged.
    pub fn inc(&mut self, key: &BranchKey) -> Result<(), KeyError> {
        self.change(key, Operation::Inc)
    }

    /// Removes a holder of the key.
    ///
    /// # Errors
    /// See [`KeyError`]; the key is unchanged.
    pub fn dec(&mut self, key: &BranchKey) -> Result<(), KeyError> {
        self.change(key, Operation::Dec)
    }

    /// Turns a key on that is not counted.
    ///
    /// # Errors
    /// See [`KeyError`]; the key is unchanged.
    pub fn enable(&mut self, key: &BranchKey) -> Result<(), KeyError> {
        self.change(key, Operation::Enable)
    }

    /// Turns a key off that is not counted.
    ///
    /// # Errors
    /// See [`KeyError`]; the key is unchanged.
    pub fn disable(&mut self, key: &BranchKey) -> Result<(), KeyError> {
        self.change(key, Operation::Disable)
    }

    /// Performs an operation.
    ///
    /// # Errors
    /// See [`KeyError`]; the key is unchanged.
    pub fn change(&mut self, key: &BranchKey, operation: Operation) -> Result<(), KeyError> {
        let Some(begun) = self.begin(key, operation)? else { return Ok(()) };
        let outcome = self.patch(iter::once(key), begun.state);
        key.publish(begun.end(outcome));
        outcome
    }

    /// Turns several uncounted keys on or off, parking the other cores once. A key may appear only once.
    ///
    /// # Errors
    /// See [`KeyError`]; all keys are unchanged.
    pub fn set_all<const N: usize>(&mut self, keys: [&BranchKey; N], state: bool) -> Result<(), KeyError> {
        let operation = if state { Operation::Enable } else { Operation::Disable };
        let mut begun = [None; N];
        let begin_all = keys.iter().zip(&mut begun).try_for_each(|(key, begun)| {
            *begun = self.begin(key, operation)?;
            Ok(())
        });
        let patched = || keys.iter().zip(&begun).filter_map(|(key, begun)| begun.map(|begun| (*key, begun)));
        let outcome = begin_all.and_then(|()| self.patch(patched().map(|(key, _)| key), state));
        patched().for_each(|(key, begun)| key.publish(begun.end(outcome)));
        outcome
    }

    /// Takes a step, from 0 on, of turning an uncounted key on or off, while other cores execute its sites. The caller makes
    /// all cores synchronise after each step. Before step 0 the key must have the other state. Steps from
    /// [`Encoding::STEPS`] on write the same code again.
    ///
    /// # Errors
    /// See [`KeyError`]. After an error in a step the code must not be executed any more.
    pub fn step(&mut self, key: &BranchKey, state: bool, step: u32) -> Result<(), KeyError> {
        match BUILD {
            Build::None => return Err(KeyError::Fixed),
            Build::Fallback => {}
            Build::Patched => self.table.flip_step(&mut self.engine, key, state, step)?,
        }
        key.publish(match state {
            true if step + 1 >= A::STEPS => Count::On(1),
            true => Count::TurningOn,
            false => Count::Off,
        });
        if step + 1 == A::STEPS {
            key.note_flip();
        }
        Ok(())
    }

    /// Exchanges the target of a [static call](crate::static_call), for all of its callers at once.
    ///
    /// # Errors
    /// See [`KeyError`]; the target is unchanged.
    pub fn set_call<C: StaticCall>(&mut self, target: C::Target) -> Result<(), KeyError> {
        match BUILD {
            Build::None => Err(KeyError::Fixed),
            Build::Fallback => {
                C::slot().store(C::address(target), Ordering::Release);
                Ok(())
            }
            Build::Patched => self.table.set_jump(&mut self.engine, C::site(), C::address(target)),
        }
    }

    /// Completes an operation that patches nothing, or starts one that does.
    fn begin(&self, key: &BranchKey, operation: Operation) -> Result<Option<Begun>, KeyError> {
        if BUILD == Build::None {
            return Err(KeyError::Fixed);
        }
        if self.phase == Phase::Sealed && key.is_read_only() {
            return Err(KeyError::Sealed);
        }
        loop {
            let count = key.load();
            match count::decide(operation, count) {
                Decision::Nothing => return Ok(None),
                Decision::Refuse(error) => return Err(KeyError::Count(error)),
                Decision::Replace(wanted) if key.exchange(count, wanted) => return Ok(None),
                Decision::Patch { state, during, after, undone } if key.exchange(count, during) => {
                    return Ok(Some(Begun { state, after, undone }));
                }
                // A caller without the lock changed the count meanwhile.
                Decision::Replace(_) | Decision::Patch { .. } => {}
            }
        }
    }

    fn patch<'k>(
        &mut self,
        keys: impl Iterator<Item = &'k BranchKey> + Clone,
        state: bool,
    ) -> Result<(), KeyError> {
        self.table.flip(&mut self.engine, keys.clone(), state)?;
        keys.for_each(BranchKey::note_flip);
        Ok(())
    }
}

/// A started change of a key whose code is not patched yet.
#[derive(Clone, Copy, Debug)]
struct Begun {
    state: bool,
    after: Count,
    undone: Count,
}

impl Begun {
    fn end(self, outcome: Result<(), KeyError>) -> Count {
        if outcome.is_ok() { self.after } else { self.undone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::aarch64::Aarch64;
    use crate::arch::riscv64::Riscv64;
    use crate::arch::x86_64::X86_64;
    use crate::engine::WindowError;
    use crate::table::WORD_BYTES;
    use crate::test_program::{Call, Called, Log, PLAN, Plan, Program, SITE};

    /// Sites of the first key on three pages, and one of the second key.
    const PLANS: [Plan; 4] = [
        PLAN,
        Plan { at: 4096 + 8, jumps_if: false, ..PLAN },
        Plan { at: 8192 + 16, distance: -16, ..PLAN },
        Plan { at: 160, key: 1, ..PLAN },
    ];

    /// The plans, with one site at the end of its word instead of the start.
    fn plans(length: u32) -> [Plan; 4] {
        let mut plans = PLANS;
        plans[2].at += WORD_BYTES - length as usize;
        plans
    }

    fn is_restored_byte_for_byte<A: Encoding>(length: u32) {
        let mut program = Program::with::<A>(length, &plans(length));
        let (view, mut keys) = program.start::<A>();
        let [first, second, ..] = view.keys();
        let before = view.code();
        assert_eq!(keys.enable(first), Ok(()));
        let changed = before.iter().zip(view.code()).filter(|(before, now)| *before != now).count();
        assert_eq!(changed, 3, "each site of the key and nothing else");
        assert_eq!((keys.disable(first), view.code()), (Ok(()), before));
        assert_eq!((first.flips(), second.flips()), (2, 0));
    }

    #[test]
    fn a_flip_and_its_reverse_leave_no_trace() {
        is_restored_byte_for_byte::<Aarch64>(4);
        is_restored_byte_for_byte::<Riscv64>(4);
        is_restored_byte_for_byte::<X86_64>(2);
        is_restored_byte_for_byte::<X86_64>(5);
    }

    fn steps_lead_to_the_same_code<A: Encoding>(length: u32) {
        let mut program = Program::with::<A>(length, &plans(length));
        let (view, mut keys) = program.start::<A>();
        let first = &view.keys()[0];
        let off = view.code();
        keys.enable(first).unwrap();
        let on = view.code();
        for (state, code) in [(false, off), (true, on)] {
            let flips = first.flips();
            for step in 0..=A::STEPS {
                assert_eq!(keys.step(first, state, step), Ok(()));
                let is_done = step + 1 >= A::STEPS;
                let count = match state {
                    true if is_done => Count::On(1),
                    true => Count::TurningOn,
                    false => Count::Off,
                };
                assert_eq!((first.load(), first.flips()), (count, flips + u32::from(is_done)));
            }
            assert_eq!((first.is_enabled(), view.code()), (state, code));
            let again = keys.step(first, state, 0);
            assert!(matches!(again, Err(KeyError::UnexpectedInstruction(_))), "it has that state already");
        }
        assert_eq!(first.flips(), 3);
    }

    #[test]
    #[cfg_attr(not(limen_keys = "patched"), ignore = "only this build patches code, and Miri has another")]
    fn steps_lead_to_the_code_of_a_flip() {
        steps_lead_to_the_same_code::<Aarch64>(4);
        steps_lead_to_the_same_code::<Riscv64>(4);
        steps_lead_to_the_same_code::<X86_64>(2);
        steps_lead_to_the_same_code::<X86_64>(5);
    }

    #[test]
    fn settling_patches_all_presets_with_one_stop() {
        let mut program = Program::with::<X86_64>(2, &PLANS);
        let (view, sections) = program.sections();
        let [first, second, ..] = view.keys();
        let text = sections.text;
        let mut unpatched = Unpatched::new(Table::<X86_64>::link(sections).unwrap());
        unpatched.preset(first, true);
        unpatched.preset(second, false);
        let keys = unpatched.patch_all(Log::new(text)).unwrap();
        // Of four jumps, two become nops: that of the second key, and that which the first key falls through.
        let stops = keys.engine().calls.iter().filter(|call| **call == Call::Park).count();
        let stores = keys.engine().calls.iter().filter(|call| **call == Call::Store).count();
        assert_eq!((stops, stores), (1, 2));
        assert!(first.is_enabled() && !second.is_enabled());
    }

    #[test]
    fn the_engine_is_called_in_order() {
        use Call::{Close, Open, Park, Publish, Resume, Store};
        let mut program = Program::with::<Aarch64>(4, &PLANS);
        let (view, mut keys) = program.start::<Aarch64>();
        keys.engine.calls.clear();
        keys.enable(&view.keys()[0]).unwrap();
        let page = [Open, Store, Close];
        assert_eq!(keys.engine.calls, [&[Park][..], &page, &page, &page, &[Publish, Resume]].concat());
    }

    #[test]
    fn a_window_that_fails_to_open_leaves_no_half_patched_key() {
        for opens in 0..3 {
            let mut program = Program::with::<Aarch64>(4, &PLANS);
            let (view, mut keys) = program.start::<Aarch64>();
            let first = &view.keys()[0];
            let before = view.code();
            // Fails once, then works again.
            keys.engine.opens_left = Some(opens);
            keys.engine.recovers = true;
            assert_eq!(keys.enable(first), Err(KeyError::NoWindow));
            assert_eq!((view.code(), first.count(), first.flips()), (before, 0, 0), "{opens}");
            assert_eq!(keys.engine.calls.last(), Some(&Call::Resume));
            assert_eq!((keys.enable(first), first.count()), (Ok(()), 1));
        }
    }

    #[test]
    fn a_broken_engine_is_distinguished_from_one_that_fails_once() {
        for (opens, error) in [(0, KeyError::NoWindow), (1, KeyError::Torn), (2, KeyError::Torn)] {
            let mut program = Program::with::<Aarch64>(4, &PLANS);
            let (view, mut keys) = program.start::<Aarch64>();
            keys.engine.opens_left = Some(opens);
            assert_eq!(keys.enable(&view.keys()[0]), Err(error));
        }
    }

    #[test]
    fn code_that_was_changed_elsewhere_is_not_patched() {
        let mut program = Program::with::<Aarch64>(4, &PLANS);
        let (view, mut keys) = program.start::<Aarch64>();
        view.spoil(8192 + 16, 0);
        let (before, first) = (view.code(), &view.keys()[0]);
        assert!(matches!(keys.inc(first), Err(KeyError::UnexpectedInstruction(_))));
        assert_eq!((view.code(), first.count()), (before, 0));
    }

    /// Sets the jump of a program's only site, at this offset in its word, to a target at this distance. Also returns whether
    /// the word is then as it should be.
    fn set_jump<A: Encoding>(length: u32, offset: u32, distance: isize) -> (Result<(), KeyError>, bool) {
        let plan = Plan { at: PLAN.at + offset as usize, ..PLAN };
        let mut program = Program::with::<A>(length, &[plan]);
        let site = program.view().site(&Plan { distance, ..plan });
        let (view, mut keys) = program.start::<A>();
        keys.enable(&view.keys()[0]).unwrap();
        let (before, outcome) =
            (view.code(), keys.table.set_jump(&mut keys.engine, site.address, site.target));
        let expected = A::jump(length, distance as i64).map(|jump| jump.insert(before[8], offset));
        let is_right = view.code()[8] == if outcome.is_ok() { expected.unwrap() } else { before[8] };
        (outcome, is_right)
    }

    #[test]
    fn a_jump_is_set_to_any_target_in_code_and_in_reach() {
        for distance in [4096, -64, 32] {
            for offset in [0, 4] {
                assert_eq!(set_jump::<Aarch64>(4, offset, distance), (Ok(()), true));
                assert_eq!(set_jump::<Riscv64>(4, offset, distance), (Ok(()), true));
            }
            for offset in 0..=3 {
                assert_eq!(set_jump::<X86_64>(5, offset, distance), (Ok(()), true));
            }
        }
        let refused = (Err(KeyError::OutOfReach), true);
        for distance in [4096, -72, 1 << 20] {
            assert_eq!(set_jump::<X86_64>(2, 6, distance), refused);
        }
        assert_eq!([set_jump::<Aarch64>(4, 0, 33), set_jump::<Riscv64>(4, 4, 33)], [refused; 2]);
    }

    #[test]
    fn only_a_jump_is_set() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let site = program.view().site(&PLAN);
        let (view, mut keys) = program.start::<Aarch64>();
        let before = view.code();
        // A site that is a nop, other code, no code.
        for address in [site.address, site.address + 8, site.address - 128] {
            let outcome = keys.table.set_jump(&mut keys.engine, address, site.target);
            assert_eq!(outcome, Err(KeyError::UnexpectedInstruction(address)));
        }
        keys.enable(&view.keys()[0]).unwrap();
        keys.engine.opens_left = Some(0);
        let on = view.code();
        assert_eq!(
            keys.table.set_jump(&mut keys.engine, site.address, site.target + 8),
            Err(KeyError::NoWindow)
        );
        assert_eq!((view.code(), on == before), (on, false));
    }

    #[test]
    fn a_jump_across_two_words_is_not_set() {
        let mut program = Program::with::<X86_64>(5, &[PLAN]);
        let site = program.view().site(&Plan { at: 132, ..PLAN });
        let (view, mut keys) = program.start::<X86_64>();
        view.spoil(128, 0xe9 << 32);
        let outcome = keys.table.set_jump(&mut keys.engine, site.address, site.target);
        assert_eq!(outcome, Err(KeyError::UnexpectedInstruction(site.address)));
        assert_eq!(view.code()[16], 0xe9 << 32);
    }

    #[test]
    fn read_only_keys_keep_their_state_once_sealed() {
        let mut program = Program::with::<Aarch64>(4, &[Plan { key: 2, ..PLAN }, PLANS[3]]);
        let (view, mut keys) = program.start::<Aarch64>();
        let [_, second, read_only, _] = view.keys();
        assert_eq!(keys.enable(read_only), Ok(()));
        keys.seal();
        assert_eq!(keys.disable(read_only), Err(KeyError::Sealed));
        assert_eq!(keys.disable(second), Ok(()));
    }

    #[test]
    fn a_key_without_sites_is_counted() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, mut keys) = program.start::<Aarch64>();
        let fourth = &view.keys()[3];
        assert_eq!((keys.dec(fourth), fourth.count()), (Ok(()), 0));
        assert_eq!(keys.dec(fourth), Err(KeyError::Count(CountError::Underflow)));
    }

    #[test]
    fn a_key_that_is_counted_too_often_is_refused() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, mut keys) = program.start::<Aarch64>();
        let first = &view.keys()[0];
        first.publish(Count::On(count::MAX));
        assert_eq!(keys.inc(first), Err(KeyError::Count(CountError::Overflow)));
        assert_eq!(first.count(), count::MAX);
    }

    #[test]
    fn an_unfinished_change_does_not_block_the_next() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, mut keys) = program.start::<Aarch64>();
        let first = &view.keys()[0];
        first.publish(Count::TurningOn);
        assert!(!first.is_enabled());
        assert_eq!((keys.enable(first), first.count()), (Ok(()), 1));
    }

    #[test]
    fn only_the_first_and_the_last_of_several_holders_patch_code() {
        let mut program = Program::with::<Aarch64>(4, &PLANS);
        let (view, mut keys) = program.start::<Aarch64>();
        let first = &view.keys()[0];
        let off = view.code();
        assert_eq!(keys.inc(first), Ok(()));
        let on = view.code();
        assert_ne!(on, off);
        for holders in [2, 3] {
            assert_eq!((keys.inc(first), first.count()), (Ok(()), holders));
        }
        for holders in [2, 1] {
            assert_eq!((keys.dec(first), first.count()), (Ok(()), holders));
        }
        assert_eq!((view.code(), first.flips()), (on, 1));
        assert_eq!((keys.dec(first), first.count()), (Ok(()), 0));
        assert_eq!((view.code(), first.flips()), (off, 2));
    }

    #[test]
    fn several_keys_are_set_with_one_stop_or_none_is() {
        let plans = [PLANS[0], PLANS[3], Plan { at: 192, key: 2, ..PLAN }];
        let mut program = Program::with::<Aarch64>(4, &plans);
        let (view, mut keys) = program.start::<Aarch64>();
        let [first, second, read_only, _] = view.keys();
        keys.engine.calls.clear();
        assert_eq!(keys.set_all([first, second, read_only], true), Ok(()));
        assert_eq!(keys.engine.calls.iter().filter(|call| **call == Call::Park).count(), 1);
        assert_eq!([first, second, read_only].map(BranchKey::flips), [1, 0, 1]);
        let on = view.code();
        keys.seal();
        assert_eq!(keys.set_all([first, second, read_only], false), Err(KeyError::Sealed));
        assert_eq!([first, second, read_only].map(BranchKey::count), [1; 3]);
        assert_eq!(view.code(), on);
    }

    /// An engine that notes the count of a key whenever it parks the other cores.
    struct Watching<'a> {
        log: Log<'a>,
        key: &'a BranchKey,
        counts: Vec<Count>,
    }

    impl Engine for Watching<'_> {
        fn park(&mut self) {
            self.counts.push(self.key.load());
            self.log.park();
        }

        fn open(&mut self, page: usize) -> Result<(), WindowError> {
            self.log.open(page)
        }

        fn load(&self, offset: usize) -> u64 {
            self.log.load(offset)
        }

        fn store(&mut self, offset: usize, word: u64) {
            self.log.store(offset, word);
        }

        fn close(&mut self) {
            self.log.close();
        }

        fn publish(&mut self) {
            self.log.publish();
        }

        fn resume(&mut self) {
            self.log.resume();
        }
    }

    #[test]
    fn a_key_is_not_on_while_its_code_is_patched() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, sections) = program.sections();
        let key = &view.keys()[0];
        let engine = Watching { log: Log::new(sections.text), key, counts: Vec::new() };
        let mut keys = Unpatched::new(Table::<Aarch64>::link(sections).unwrap()).patch_all(engine).unwrap();
        keys.engine.counts.clear();
        assert_eq!([keys.enable(key), keys.disable(key)], [Ok(()); 2]);
        assert_eq!(keys.engine.counts, [Count::TurningOn, Count::Off]);
    }

    #[test]
    #[cfg_attr(not(limen_keys = "patched"), ignore = "only this build patches code, and Miri has another")]
    fn a_static_call_gets_a_target_in_the_code() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let site = program.view().site(&PLAN);
        let (view, mut keys) = program.start::<Aarch64>();
        keys.enable(&view.keys()[0]).unwrap();
        SITE.set(site.address);
        let before = view.code()[8];
        assert_eq!(keys.set_call::<Called>(site.address + 64), Ok(()));
        let jump = Aarch64::jump(4, 64).expect("a target in reach");
        assert_eq!(view.code()[8], jump.insert(before, 0));
        assert_eq!(keys.set_call::<Called>(site.address + (1 << 20)), Err(KeyError::OutOfReach));
        assert_eq!(view.code()[8], jump.insert(before, 0));
    }

    #[test]
    fn errors_are_sentences() {
        let sentences = [
            (KeyError::Count(CountError::Overflow), "the static key has too many holders"),
            (KeyError::Count(CountError::Underflow), "the static key has no holder that could release it"),
            (KeyError::Count(CountError::Counted), "the static key has several holders"),
            (KeyError::Sealed, "the static key is read-only after boot"),
            (
                KeyError::UnexpectedInstruction(0x40),
                "the code at 0x40, a site of a static key, has been changed by other code",
            ),
            (KeyError::NoWindow, "the sites of the static key cannot be patched"),
            (KeyError::Torn, "only some sites of the static key were patched"),
            (KeyError::OutOfReach, "the target of the static call is out of reach"),
            (KeyError::Fixed, "branches on static keys are constants in this build"),
        ];
        for (error, sentence) in sentences {
            assert_eq!(std::format!("{error}"), sentence);
        }
    }
}
