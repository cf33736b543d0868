//! The site table: turns the linker's rows into a checked and sorted table.
//!
//! [`Table::link`] checks every row before any is used, sorts them, and stores in each key the index of its first row.
//! The rules come from the effects of wrong linker scripts, identical-code folding and damaged images on such tables.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::branch::{BUILD, Build};
use crate::encoding::Encoding;
use crate::key::BranchKey;
use crate::site::{Row, Site};

/// Bytes of the words in which code is read and written.
pub(crate) const WORD_BYTES: usize = size_of::<AtomicU64>();

/// The linker's sections.
#[derive(Debug)]
pub struct Sections<'a> {
    /// The section `limen_key_sites`.
    pub rows: &'a mut [Row],
    /// The section `limen_keys`.
    pub keys: &'a [BranchKey],
    /// All code that may have sites. Words change when they are patched.
    pub text: &'a [AtomicU64],
}

/// A checked table, sorted by key and address.
pub struct Table<'a, A> {
    rows: &'a [Row],
    keys: &'a [BranchKey],
    text: &'a [AtomicU64],
    encoding: PhantomData<fn() -> A>,
}

/// A row that breaks a rule; no site was touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableError {
    /// The address of the row's site; zero if there is no row.
    pub site: usize,
    /// The broken rule.
    pub rule: Rule,
}

/// The rules for rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The table has no row: the linker has dropped the section.
    Empty,
    /// A distance is too large.
    Distance,
    /// The site is not in code.
    OutsideText,
    /// The site or its target is not aligned for an instruction.
    Misaligned,
    /// The site crosses an aligned word of eight bytes.
    CrossesWord,
    /// The target is not in code.
    TargetOutsideText,
    /// The target is out of range of the instruction.
    TargetTooFar,
    /// The address of the key is not that of a key.
    NoKey,
    /// Two rows have the same site or overlapping sites.
    Twice,
    /// The instruction is neither the row's jump nor the nop, or not the one for the key's default.
    UnexpectedInstruction,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = match self.rule {
            Rule::Empty => return f.write_str("the table of static keys has no rows: the linker dropped it"),
            Rule::Distance => "has a distance that is out of range",
            Rule::OutsideText => "is not in code",
            Rule::Misaligned => "is not aligned for an instruction",
            Rule::CrossesWord => "crosses a word of eight bytes",
            Rule::TargetOutsideText => "jumps out of the code",
            Rule::TargetTooFar => "jumps out of the range of its instruction",
            Rule::NoKey => "has no key",
            Rule::Twice => "overlaps another site",
            Rule::UnexpectedInstruction => "has an instruction that does not match its row",
        };
        write!(f, "the static key's site at {:#x} {rule}", self.site)
    }
}

impl<'a, A: Encoding> Table<'a, A> {
    /// Checks and sorts the linker's rows.
    ///
    /// # Errors
    /// The first rule that a row breaks.
    pub fn link(sections: Sections<'a>) -> Result<Self, TableError> {
        let Sections { rows, keys, text } = sections;
        if rows.is_empty() && BUILD == Build::Patched {
            return Err(TableError { site: 0, rule: Rule::Empty });
        }
        for (index, row) in rows.iter_mut().enumerate() {
            *row = row.rebase(index).ok_or(TableError { site: 0, rule: Rule::Distance })?;
        }
        sort(rows, Row::by_place);
        Table::<A> { rows, keys, text, encoding: PhantomData }.check_all()?;
        sort(rows, Row::by_key);
        let table = Self { rows, keys, text, encoding: PhantomData };
        table.tell_keys();
        Ok(table)
    }

    fn check_all(&self) -> Result<(), TableError> {
        let mut end = 0;
        for site in self.sites(0..self.rows.len()) {
            let error = |rule| TableError { site: site.address, rule };
            let length = self.check(&site).map_err(error)?;
            if site.address < end {
                return Err(error(Rule::Twice));
            }
            end = site.address + length as usize;
        }
        Ok(())
    }

    /// Checks a single site, and returns the length of its instruction.
    fn check(&self, site: &Site) -> Result<u32, Rule> {
        let key = self.key(site).ok_or(Rule::NoKey)?;
        if !site.address.is_multiple_of(A::ALIGNMENT) || !site.target.is_multiple_of(A::ALIGNMENT) {
            return Err(Rule::Misaligned);
        }
        let (word, offset) = self.word(site.address).ok_or(Rule::OutsideText)?;
        self.word(site.target).ok_or(Rule::TargetOutsideText)?;
        let bytes = word >> (8 * offset);
        let length = A::length(bytes).ok_or(Rule::UnexpectedInstruction)?;
        if offset as usize + length as usize > WORD_BYTES {
            return Err(Rule::CrossesWord);
        }
        let state = if A::LINKED_AS_JUMPS { site.jumps_if } else { key.is_enabled() };
        let linked = site.instruction::<A>(length, state).ok_or(Rule::TargetTooFar)?;
        if linked.insert(word, offset) == word { Ok(length) } else { Err(Rule::UnexpectedInstruction) }
    }

    fn tell_keys(&self) {
        let mut previous = None;
        for (index, site) in self.sites(0..self.rows.len()).enumerate() {
            if previous != Some(site.key) {
                previous = Some(site.key);
                self.key(&site).into_iter().for_each(|key| key.set_first_site(index));
            }
        }
    }
}

impl<A> Clone for Table<'_, A> {
    fn clone(&self) -> Self {
        Self { rows: self.rows, keys: self.keys, text: self.text, encoding: PhantomData }
    }
}

impl<A> fmt::Debug for Table<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sites of {} keys", self.rows.len(), self.keys.len())
    }
}

impl<'a, A> Table<'a, A> {
    /// All keys.
    #[must_use]
    pub fn keys(&self) -> &'a [BranchKey] {
        self.keys
    }

    /// Sites of all keys.
    #[must_use]
    pub fn site_count(&self) -> usize {
        self.rows.len()
    }

    /// The sites of a key.
    pub fn sites_of(&self, key: &BranchKey) -> impl Iterator<Item = Site> + Clone {
        let address = core::ptr::from_ref(key).addr();
        let first = key.first_site().unwrap_or(self.rows.len());
        self.sites(first..self.rows.len()).take_while(move |site| site.key == address)
    }

    /// Every site.
    pub fn all_sites(&self) -> impl Iterator<Item = Site> + Clone {
        self.sites(0..self.rows.len())
    }

    fn sites(&self, range: Range<usize>) -> impl Iterator<Item = Site> + Clone + use<'a, A> {
        let table = self.rows.as_ptr().addr();
        self.rows.get(range).unwrap_or_default().iter().map(move |row| row.site(table))
    }

    /// The word of code with a site's nop in place of its jump. Unchanged if the site holds neither of its two
    /// instructions.
    #[must_use]
    pub fn neutral(&self, site: &Site, word: u64) -> u64
    where
        A: Encoding,
    {
        let offset = (site.address % WORD_BYTES) as u32;
        let Some(length) = A::length(word >> (8 * offset)) else { return word };
        let with = |state| site.instruction::<A>(length, state).map(|found| found.insert(word, offset));
        let [jump, nothing] = [site.jumps_if, !site.jumps_if].map(with);
        if jump == Some(word) { nothing.unwrap_or(word) } else { word }
    }

    /// The key of a site.
    pub(crate) fn key(&self, site: &Site) -> Option<&'a BranchKey> {
        let distance = site.key.checked_sub(self.keys.as_ptr().addr())?;
        if !distance.is_multiple_of(size_of::<BranchKey>()) {
            return None;
        }
        self.keys.get(distance / size_of::<BranchKey>())
    }

    /// The word of code at an address, and the address's offset in it.
    pub(crate) fn word(&self, address: usize) -> Option<(u64, u32)> {
        let distance = address.checked_sub(self.text.as_ptr().addr())?;
        let word = self.text.get(distance / WORD_BYTES)?.load(Ordering::Relaxed);
        Some((word, (distance % WORD_BYTES) as u32))
    }
}

/// A shell sort. The standard library's sort is larger than the rest of this file.
#[inline(never)]
fn sort<K: Ord>(rows: &mut [Row], order: impl Fn(&Row) -> K) {
    for gap in [57, 23, 10, 4, 1] {
        for end in gap..rows.len() {
            let row = rows[end];
            let wanted = order(&row);
            let mut place = end;
            while place >= gap && order(&rows[place - gap]) > wanted {
                rows[place] = rows[place - gap];
                place -= gap;
            }
            rows[place] = row;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::arch::aarch64::Aarch64;
    use crate::arch::riscv64::Riscv64;
    use crate::arch::x86_64::X86_64;
    use crate::test_program::{PLAN, Plan, Program, View};

    /// The rule that a modified row breaks.
    fn broken(change: impl FnOnce(&mut Site, &View)) -> Rule {
        let mut program = Program::with::<Aarch64>(4, &[PLAN, Plan { at: 128, ..PLAN }]);
        let mut site = program.view().site(&PLAN);
        change(&mut site, program.view());
        program.redescribe(0, site);
        program.link::<Aarch64>().expect_err("a broken rule").rule
    }

    fn judged<A: Encoding>(length: u32, plans: &[Plan]) -> Result<(), Rule> {
        Program::with::<A>(length, plans).link::<A>().map(drop).map_err(|error| error.rule)
    }

    #[test]
    fn a_good_table_is_sorted_by_key_and_address() {
        let plans = [(200, 1), (64, 0), (128, 1), (4096, 0)].map(|(at, key)| Plan { at, key, ..PLAN });
        let mut program = Program::with::<Aarch64>(4, &plans);
        let [first, second, third, fourth] =
            [1, 3, 2, 0].map(|index: usize| program.view().site(&plans[index]));
        let (view, sections) = program.sections();
        let table = Table::<Aarch64>::link(sections).expect("a good table");
        assert_eq!(table.all_sites().collect::<Vec<_>>(), [first, second, third, fourth]);
        assert_eq!(table.sites_of(&view.keys()[0]).collect::<Vec<_>>(), [first, second]);
        assert_eq!(table.sites_of(&view.keys()[1]).collect::<Vec<_>>(), [third, fourth]);
        assert_eq!(table.sites_of(&view.keys()[2]).count(), 0);
        assert_eq!((table.site_count(), table.keys().len()), (4, 4));
        assert_eq!(std::format!("{table:?}"), "4 sites of 4 keys");
    }

    #[test]
    fn a_table_that_the_linker_dropped_is_found() {
        let outcome =
            Program::with::<Aarch64>(4, &[]).link::<Aarch64>().map(drop).map_err(|error| error.rule);
        assert_eq!(outcome, if BUILD == Build::Patched { Err(Rule::Empty) } else { Ok(()) });
    }

    #[test]
    fn a_site_outside_code_is_found() {
        assert_eq!(
            broken(|site, view| site.address = view.site(&Plan { at: 1 << 14, ..PLAN }).address),
            Rule::OutsideText
        );
        assert_eq!(broken(|site, _| site.address -= 128), Rule::OutsideText);
    }

    #[test]
    fn a_target_outside_code_is_found() {
        assert_eq!(broken(|site, _| site.target += 1 << 14), Rule::TargetOutsideText);
    }

    #[test]
    fn a_site_or_target_between_instructions_is_found() {
        assert_eq!(broken(|site, _| site.address += 2), Rule::Misaligned);
        assert_eq!(broken(|site, _| site.target += 1), Rule::Misaligned);
    }

    #[test]
    fn an_address_that_is_no_key_is_found() {
        for distance in [8, 4 * size_of::<BranchKey>() as isize, -(size_of::<BranchKey>() as isize)] {
            assert_eq!(broken(|site, _| site.key = site.key.wrapping_add_signed(distance)), Rule::NoKey);
        }
    }

    #[test]
    fn two_rows_for_one_site_are_found() {
        assert_eq!(broken(|site, view| *site = view.site(&Plan { at: 128, ..PLAN })), Rule::Twice);
        let near = [Plan { at: 64, ..PLAN }, Plan { at: 65, ..PLAN }];
        assert_eq!(judged::<X86_64>(2, &[near[0], Plan { at: 66, ..PLAN }]), Ok(()));
        let mut program = Program::with::<X86_64>(2, &[near[0], Plan { at: 66, ..PLAN }]);
        // A jump inside the jump: both rows refer to something that looks like one.
        program.view().spoil(64, 0x0101_0101_011e_ebeb);
        let (first, second) = (program.view().site(&near[0]), program.view().site(&near[1]));
        program.redescribe(0, Site { target: first.address + 2 - 0x15, ..first });
        program.redescribe(1, Site { target: second.address + 2 + 0x1e, ..second });
        assert_eq!(program.link::<X86_64>().map(drop).map_err(|error| error.rule), Err(Rule::Twice));
    }

    #[test]
    fn an_unexpected_instruction_is_found() {
        let on = Plan { key: 1, ..PLAN };
        let mut program = Program::with::<Aarch64>(4, &[on]);
        let site = program.view().site(&on);
        program.redescribe(0, Site { target: site.target + 4, ..site });
        let rule = program.link::<Aarch64>().expect_err("a jump to another target").rule;
        assert_eq!(rule, Rule::UnexpectedInstruction);
        assert_eq!(
            broken(|site, _| site.key += size_of::<BranchKey>()),
            Rule::UnexpectedInstruction,
            "another default"
        );
        assert_eq!(broken(|_, view| view.spoil(64, 0)), Rule::UnexpectedInstruction, "no site at all");
    }

    #[test]
    fn a_site_across_two_words_is_found() {
        assert_eq!(judged::<X86_64>(5, &[Plan { at: 67, ..PLAN }]), Ok(()));
        for (at, jumped) in [(68, 5), (71, 2)] {
            let mut program = Program::with::<X86_64>(jumped, &[PLAN]);
            let site = program.view().site(&Plan { at, ..PLAN });
            let opcode = if jumped == 5 { 0xe9 } else { 0xeb };
            program.view().spoil(64, opcode << (8 * (at - 64)));
            program.redescribe(0, site);
            assert_eq!(
                program.link::<X86_64>().map(drop).map_err(|error| error.rule),
                Err(Rule::CrossesWord)
            );
        }
        assert_eq!(judged::<Riscv64>(4, &[Plan { at: 66, ..PLAN }]), Ok(()));
    }

    /// Checks that both instructions of a site give the same word, and that any changed bit gives another.
    fn only_its_site_is_neutral<A: Encoding>(length: u32, at: usize) {
        let plan = Plan { at, ..PLAN };
        let mut program = Program::with::<A>(length, &[plan]);
        let site = program.view().site(&plan);
        let table = program.link::<A>().expect("a good table");
        let (found, offset) = table.word(site.address).expect("a word of the code");
        let states = [true, false].map(|state| {
            site.instruction::<A>(length, state).expect("a target in reach").insert(found, offset)
        });
        assert_ne!(states[0], states[1]);
        let nothing = states[usize::from(site.jumps_if)];
        for word in states {
            assert_eq!(table.neutral(&site, word), nothing);
            for bit in 0..u64::BITS {
                let changed = word ^ 1 << bit;
                assert!(states.contains(&changed) || table.neutral(&site, changed) != nothing, "bit {bit}");
            }
        }
    }

    #[test]
    fn a_neutral_word_hides_only_the_state_of_its_site() {
        only_its_site_is_neutral::<Aarch64>(4, 64);
        only_its_site_is_neutral::<Aarch64>(4, 68);
        only_its_site_is_neutral::<Riscv64>(4, 66);
        only_its_site_is_neutral::<X86_64>(5, 67);
        only_its_site_is_neutral::<X86_64>(2, 70);
    }

    #[test]
    fn a_distance_out_of_range_is_found_in_every_row() {
        for row in 0..2 {
            let mut program = Program::with::<Aarch64>(4, &[PLAN, Plan { at: 128, ..PLAN }]);
            program.sections().1.rows[row] = Row::FAR;
            let error = program.link::<Aarch64>().expect_err("a distance out of range");
            assert_eq!(error, TableError { site: 0, rule: Rule::Distance });
        }
    }

    #[test]
    fn errors_are_sentences() {
        let sentences = [
            (Rule::Distance, "has a distance that is out of range"),
            (Rule::OutsideText, "is not in code"),
            (Rule::Misaligned, "is not aligned for an instruction"),
            (Rule::CrossesWord, "crosses a word of eight bytes"),
            (Rule::TargetOutsideText, "jumps out of the code"),
            (Rule::TargetTooFar, "jumps out of the range of its instruction"),
            (Rule::NoKey, "has no key"),
            (Rule::Twice, "overlaps another site"),
            (Rule::UnexpectedInstruction, "has an instruction that does not match its row"),
        ];
        for (rule, sentence) in sentences {
            let shown = std::format!("{}", TableError { site: 0x40, rule });
            assert_eq!(shown, std::format!("the static key's site at 0x40 {sentence}"));
        }
        let empty = std::format!("{}", TableError { site: 0, rule: Rule::Empty });
        assert_eq!(empty, "the table of static keys has no rows: the linker dropped it");
    }

    #[test]
    fn a_table_longer_than_every_gap_of_the_sort_is_sorted() {
        // Each of 100 rows once, in an order that no gap leaves: 37 and 101 have no common divisor.
        let mut rows: Vec<_> = (1..=100).map(|index| Row::at(index * 37 % 101)).collect();
        sort(&mut rows, Row::by_place);
        assert_eq!(rows, (1..=100).map(Row::at).collect::<Vec<_>>());
    }
}
