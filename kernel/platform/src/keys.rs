//! The kernel's static keys: boot links their table and sets each to its option.

use core::cell::UnsafeCell;
use core::slice;
use core::sync::atomic::Ordering;

use limen_abi::limits::PAGE_BYTES;
use limen_abi::{KernelKey, limits};
use limen_core::arena::KeyId;
use limen_core::machine::Patching;
use limen_image::{Image, Options};
use limen_keys::arch::Native;
use limen_keys::keys::Unpatched;
use limen_keys::site::Row;
use limen_keys::table::{Sections, Table};
use limen_keys::{BranchKey, KeyError, Keys, static_branch_unlikely, static_key};
use limen_mmu::address::PhysAddr;
use limen_mmu::layout;

use crate::arch::cpu;
use crate::arch::mmu::Descriptors;
use crate::console;
use crate::page_table::{self, Access, MapError, MemoryType, Owner, Run, Tables};
use crate::panic::fatal;
use crate::program_sites::{self, ProgramSites};
use crate::text::{self, Frames, Writer};

static_key!(
    /// Programs may print through the kernel.
    pub PRINTING = false
);
static_key!(
    /// The kernel checks its invariants after each event.
    pub SELF_CHECK = false
);
static_key!(
    /// The kernel traces events.
    TRACING = false
);
static_key!(
    /// The kernel prints faults, checks its invariants or traces: traps take a path of their own.
    WATCHED = false
);
static_key!(
    /// A program samples its own crossings, or the kernel checks itself or traces: every trap and every return goes through
    /// the probes.
    pub PROBING = false
);
static_key!(
    /// The key of the self-test at boot.
    SELF_TEST = false
);

/// How the kernel maps the records of sites in programs.
const READ_ONLY: Access =
    Access { owner: Owner::Kernel, write: false, execute: false, memory: MemoryType::Cached };

/// The kernel's key behind an option of the image, if it has one of its own.
fn known(key: KernelKey) -> Option<&'static BranchKey> {
    match key {
        KernelKey::Printing => Some(&PRINTING),
        KernelKey::SelfCheck => Some(&SELF_CHECK),
        _ => None,
    }
}

/// The table of the kernel's own sites.
pub type CodeSites = Table<'static, Native>;

/// The kernel's own keys.
type OwnKeys = Keys<'static, Native, Writer>;

/// The keys of a system, and the right to change them.
#[derive(Debug)]
pub struct SystemKeys {
    own: OwnKeys,
    /// For each key of the image, the kernel's key that it sets.
    known: [Option<KernelKey>; limits::KEYS],
    /// The sites in programs.
    sites: ProgramSites,
    /// Whether a program samples its crossings.
    is_sampled: bool,
    /// The groups of the trace that are on, as options of an image; none without a ring.
    groups: u64,
    /// Whether the image has a ring.
    has_ring: bool,
}

impl SystemKeys {
    /// Patches more branches on a key to its state, at most `room`. The kernel's own branches are patched with the last ones
    /// of programs.
    pub fn patch(&mut self, key: KeyId, state: bool, room: &mut usize) -> Patching {
        let index = limen_core::kernel::Keys::index_of(key);
        let patching = self.sites.patch(&mut Frames(self.own.engine_mut()), index, state, room);
        if let (Patching::Done, Some(Some(key))) = (patching, self.known.get(index)) {
            if *key == KernelKey::Printing && state {
                console::open();
            }
            match known(*key) {
                Some(own) => self.set_own(own, state),
                None => self.set_group(*key, state),
            }
            self.set_own(&WATCHED, is_printing() || is_self_checking() || is_tracing());
            self.lead_past_probes();
        }
        patching
    }

    /// Turns a group of the trace on or off. Programs trace by a system call, which needs no branch.
    fn set_group(&mut self, key: KernelKey, state: bool) {
        if self.has_ring {
            self.groups = self.groups & !key.option() | if state { key.option() } else { 0 };
            self.set_own(&TRACING, traces_events(self.groups));
        }
    }

    /// The groups of the trace that are on.
    #[inline]
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// The number of branches on a key in programs.
    pub fn branches(&self, key: KeyId) -> u64 {
        self.sites.count(limen_core::kernel::Keys::index_of(key))
    }

    /// Sends every trap and every return through the probes, or only if self-checks need it.
    pub fn set_probing(&mut self, state: bool) {
        self.is_sampled = state;
        self.lead_past_probes();
    }

    /// Self-checks and the trace also need the probes: the fast paths have no key of their own.
    fn lead_past_probes(&mut self) {
        self.set_own(&PROBING, self.is_sampled || is_self_checking() || is_tracing());
    }

    fn set_own(&mut self, key: &BranchKey, state: bool) {
        match if state { self.own.enable(key) } else { self.own.disable(key) } {
            // `Fixed`: a build that measures what keys cost.
            Ok(()) | Err(KeyError::Fixed) => {}
            Err(error) => fatal(format_args!("{error}")),
        }
    }
}

/// A static that `start` writes.
struct Place<T>(UnsafeCell<T>);

// SAFETY: only `start` writes it, once, while only boot runs.
unsafe impl<T> Sync for Place<T> {}

static KEYS: Place<Option<SystemKeys>> = Place(UnsafeCell::new(None));
static CODE_SITES: Place<Option<CodeSites>> = Place(UnsafeCell::new(None));

unsafe extern "C" {
    // From the linker script.
    static __start_limen_key_sites: u8;
    static __stop_limen_key_sites: u8;
    static __start_limen_keys: u8;
    static __stop_limen_keys: u8;
}

/// Whether programs may print through the kernel.
#[inline(always)]
pub fn is_printing() -> bool {
    static_branch_unlikely!(PRINTING)
}

/// Whether the kernel prints faults or checks its invariants.
#[inline(always)]
pub fn is_watched() -> bool {
    static_branch_unlikely!(WATCHED)
}

/// Whether the kernel traces events.
#[inline(always)]
pub fn is_tracing() -> bool {
    static_branch_unlikely!(TRACING)
}

/// Whether some of these groups of the trace record what the kernel does.
fn traces_events(groups: u64) -> bool {
    groups & !KernelKey::TracePrograms.option() != 0
}

/// Whether the kernel checks its invariants.
#[inline(always)]
pub fn is_self_checking() -> bool {
    static_branch_unlikely!(SELF_CHECK)
}

/// Checks the table of sites, and patches the code to the image's options. Called once, before any site executes.
pub fn start(image: &Image<'_>, code: Writer, tables: &mut impl Tables) -> &'static mut SystemKeys {
    let sections = Sections { rows: rows(), keys: all(), text: text::words() };
    let table = Table::link(sections).unwrap_or_else(|error| fatal(format_args!("{error}")));
    let mut keys = Unpatched::new(table);
    for (key, ..) in KernelKey::ALL {
        if let Some(own) = known(*key) {
            keys.preset(own, image.options() & key.option() != 0);
        }
    }
    let groups = image.options() & Options::TRACE;
    let (is_tracing, watches) =
        (traces_events(groups), KernelKey::Printing.option() | KernelKey::SelfCheck.option());
    keys.preset(&TRACING, is_tracing);
    keys.preset(&WATCHED, image.options() & watches != 0 || is_tracing);
    keys.preset(&PROBING, image.options() & KernelKey::SelfCheck.option() != 0 || is_tracing);
    let mut keys = keys.patch_all(code).unwrap_or_else(|error| fatal(format_args!("{error}")));
    if image.options() & KernelKey::Printing.option() != 0 {
        test(&mut keys).unwrap_or_else(|error| fatal(format_args!("{error}")));
    }
    let mut known = [None; limits::KEYS];
    for (known, record) in known.iter_mut().zip(image.keys()) {
        *known = KernelKey::from_raw(record.kernel);
    }
    let sites = map_sites(image, tables)
        .unwrap_or_else(|error| fatal(format_args!("the sites of static keys cannot be mapped: {error:?}")));
    // SAFETY: boot calls once, so these are the only references.
    let place = unsafe {
        *CODE_SITES.0.get() = Some(keys.table().clone());
        &mut *KEYS.0.get()
    };
    let sites = ProgramSites::new(image, sites);
    let has_ring = image.trace().is_some();
    place.insert(SystemKeys { own: keys, known, sites, is_sampled: false, groups, has_ring })
}

/// Maps the records of sites in programs, permanently and read-only, at an address of their own.
fn map_sites(image: &Image<'_>, tables: &mut impl Tables) -> Result<&'static [u64], MapError> {
    let (pages, words) = (program_sites::pages(image), image.key_site_words());
    if words.is_empty() {
        return Ok(&[]);
    }
    let (vaddr, paddr) = (layout::KEY_SITES, PhysAddr(pages.start));
    let run = Run { vaddr, paddr, bytes: pages.end - pages.start, height: 0, access: READ_ONLY };
    page_table::map::<Descriptors>(tables, cpu::kernel_root(), &run)?;
    cpu::publish_tables();
    let first = vaddr.0 as usize + words.start * size_of::<u64>() % PAGE_BYTES as usize;
    // SAFETY: these words of the validated image were just mapped and stay mapped. Nothing writes them: the checks of
    // the image and of the page tables keep programs, page tables and cleared memory apart from them.
    Ok(unsafe { slice::from_raw_parts(core::ptr::with_exposed_provenance(first), words.len()) })
}

/// The kernel's own sites; `None` before boot has linked them.
pub fn code_sites() -> Option<&'static CodeSites> {
    // SAFETY: not written after boot.
    unsafe { (*CODE_SITES.0.get()).as_ref() }
}

/// Turns a key on and off again, and checks that branches are patched and that the code is unchanged afterwards.
#[inline(never)]
fn test(keys: &mut OwnKeys) -> Result<(), KeyError> {
    let before = sum();
    keys.enable(&SELF_TEST)?;
    let is_taken = static_branch_unlikely!(SELF_TEST);
    keys.disable(&SELF_TEST)?;
    if !is_taken || static_branch_unlikely!(SELF_TEST) || sum() != before || !keys.engine().is_closed() {
        fatal(format_args!("static keys do not work on this machine"));
    }
    Ok(())
}

/// A checksum of the kernel's code.
fn sum() -> u64 {
    let words = text::words().iter().map(|word| word.load(Ordering::Relaxed));
    words.fold(0, |sum, word| sum.rotate_left(1) ^ word)
}

/// The table's rows.
fn rows() -> &'static mut [Row] {
    let [start, end] = [&raw const __start_limen_key_sites, &raw const __stop_limen_key_sites];
    // SAFETY: an array of rows in writable memory; only `start` calls this, once.
    unsafe {
        slice::from_raw_parts_mut(start.cast_mut().cast(), (end.addr() - start.addr()) / size_of::<Row>())
    }
}

/// All keys.
fn all() -> &'static [BranchKey] {
    let [start, end] = [&raw const __start_limen_keys, &raw const __stop_limen_keys];
    // SAFETY: an array of keys.
    unsafe { slice::from_raw_parts(start.cast(), (end.addr() - start.addr()) / size_of::<BranchKey>()) }
}
