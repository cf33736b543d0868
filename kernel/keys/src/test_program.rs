//! A program in data: code, keys and rows as a linker would store them, and an engine that can be made to fail.

use std::boxed::Box;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::vec::Vec;

use crate::call::StaticCall;
use crate::encoding::Encoding;
use crate::engine::{Engine, WINDOW_BYTES, WindowError};
use crate::key::BranchKey;
use crate::keys::{Keys, Unpatched};
use crate::site::{Row, Site};
use crate::table::{Sections, Table, TableError};

/// Words of code: four pages.
const WORDS: usize = 4 * WINDOW_BYTES / size_of::<u64>();
/// The filler between sites.
const OTHER: u64 = 0x0101_0101_0101_0101;

/// The maximum number of rows.
const ROWS: usize = 8;

/// Code, keys and rows.
pub(crate) struct Program {
    view: View,
    rows: [Row; ROWS],
    sites: usize,
}

/// The part that tests can read while the program is linked.
#[repr(C, align(4096))]
pub(crate) struct View {
    text: [AtomicU64; WORDS],
    keys: [BranchKey; 4],
}

/// The plan of a site in a program.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// Offset in the code.
    pub(crate) at: usize,
    /// Distance of the target.
    pub(crate) distance: isize,
    /// The key.
    pub(crate) key: usize,
    /// See [`Site::jumps_if`].
    pub(crate) jumps_if: bool,
}

/// A site on the first page, for the first key.
pub(crate) const PLAN: Plan = Plan { at: 64, distance: 32, key: 0, jumps_if: true };

impl View {
    /// The site of a plan.
    pub(crate) fn site(&self, plan: &Plan) -> Site {
        let address = self.text.as_ptr().addr() + plan.at;
        Site {
            address,
            target: address.wrapping_add_signed(plan.distance),
            key: self.keys.as_ptr().addr() + plan.key * size_of::<BranchKey>(),
            jumps_if: plan.jumps_if,
        }
    }

    /// Replaces a word of code.
    pub(crate) fn spoil(&self, at: usize, word: u64) {
        self.text[at / 8].store(word, Ordering::Relaxed);
    }

    /// All of the code.
    pub(crate) fn code(&self) -> Vec<u64> {
        self.text.iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// The keys: off, on, off and read-only, on.
    pub(crate) fn keys(&self) -> &[BranchKey; 4] {
        &self.keys
    }
}

impl Program {
    /// A program with these sites, as the assembler writes them.
    pub(crate) fn with<A: Encoding>(length: u32, plans: &[Plan]) -> Box<Self> {
        let keys = [(false, false), (true, false), (false, true), (true, false)];
        let view = View {
            text: [const { AtomicU64::new(OTHER) }; WORDS],
            keys: keys.map(|(default, read_only)| BranchKey::new(default, read_only)),
        };
        let mut program = Box::new(Self { view, rows: [Row::EMPTY; ROWS], sites: plans.len() });
        for (index, plan) in plans.iter().enumerate() {
            let site = program.view.site(plan);
            let default = program.view.keys[plan.key].is_enabled();
            let state = if A::LINKED_AS_JUMPS { site.jumps_if } else { default };
            let instruction = site.instruction::<A>(length, state).expect("a target in reach");
            let word = program.view.text[plan.at / 8].load(Ordering::Relaxed);
            program.view.spoil(plan.at, instruction.insert(word, (plan.at % 8) as u32));
            program.rows[index].describe(site);
        }
        program
    }

    /// The part that tests can read.
    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// Changes a row.
    pub(crate) fn redescribe(&mut self, row: usize, site: Site) {
        self.rows[row].describe(site);
    }

    /// The part that tests can read, and the sections.
    pub(crate) fn sections(&mut self) -> (&View, Sections<'_>) {
        let Self { view, rows, sites } = self;
        let View { text, keys } = &*view;
        (view, Sections { rows: &mut rows[..*sites], keys, text })
    }

    /// Links the program.
    pub(crate) fn link<A: Encoding>(&mut self) -> Result<Table<'_, A>, TableError> {
        Table::link(self.sections().1)
    }

    /// Links and patches the program; also returns the part that tests can read.
    pub(crate) fn start<A: Encoding>(&mut self) -> (&View, Keys<'_, A, Log<'_>>) {
        let (view, sections) = self.sections();
        let table = Table::link(sections).expect("a good table");
        (view, Unpatched::new(table).patch_all(Log::new(&view.text)).expect("an engine that works"))
    }
}

/// A call of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    Park,
    Open,
    Store,
    Close,
    Publish,
    Resume,
}

/// An engine that writes to words and records its calls.
#[derive(Debug)]
pub(crate) struct Log<'a> {
    text: &'a [AtomicU64],
    page: Option<usize>,
    /// The number of opens that still succeed; `None` for all.
    pub(crate) opens_left: Option<usize>,
    /// Whether it works again after the first failure.
    pub(crate) recovers: bool,
    /// The recorded calls.
    pub(crate) calls: Vec<Call>,
}

impl<'a> Log<'a> {
    /// An engine for this code.
    pub(crate) fn new(text: &'a [AtomicU64]) -> Self {
        Self { text, page: None, opens_left: None, recovers: false, calls: Vec::new() }
    }
}

impl Engine for Log<'_> {
    fn park(&mut self) {
        self.calls.push(Call::Park);
    }

    fn open(&mut self, page: usize) -> Result<(), WindowError> {
        self.calls.push(Call::Open);
        assert_eq!((self.page, page % WINDOW_BYTES), (None, 0));
        if let Some(left) = &mut self.opens_left {
            let Some(rest) = left.checked_sub(1) else {
                self.opens_left = self.opens_left.filter(|_| !self.recovers);
                return Err(WindowError);
            };
            *left = rest;
        }
        self.page = Some(page);
        Ok(())
    }

    fn load(&self, offset: usize) -> u64 {
        let at = self.page.expect("an open window") + offset - self.text.as_ptr().addr();
        self.text[at / 8].load(Ordering::Relaxed)
    }

    fn store(&mut self, offset: usize, word: u64) {
        self.calls.push(Call::Store);
        let at = self.page.expect("an open window") + offset - self.text.as_ptr().addr();
        self.text[at / 8].store(word, Ordering::Relaxed);
    }

    fn close(&mut self) {
        self.calls.push(Call::Close);
        self.page = None;
    }

    fn publish(&mut self) {
        self.calls.push(Call::Publish);
    }

    fn resume(&mut self) {
        self.calls.push(Call::Resume);
    }
}

thread_local! {
    /// The address of the jump of [`Called`].
    pub(crate) static SITE: Cell<usize> = const { Cell::new(0) };
}

/// A static call whose jump lies at [`SITE`].
pub(crate) struct Called;

impl StaticCall for Called {
    type Target = usize;

    fn address(target: usize) -> usize {
        target
    }

    fn site() -> usize {
        SITE.get()
    }

    fn slot() -> &'static AtomicUsize {
        unreachable!("calls are patched in this build")
    }
}
