//! The kernel's static keys: boot links their table and sets each to its option.

use core::cell::UnsafeCell;
use core::slice;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PAGE_BYTES;
use limen_abi::{KernelKey, limits};
use limen_core::arena::KeyId;
use limen_core::machine::Patching;
use limen_image::{Image, Options};
use limen_keys::arch::Native;
use limen_keys::encoding::Encoding;
use limen_keys::keys::Unpatched;
use limen_keys::site::Row;
use limen_keys::table::{Sections, Table};
use limen_keys::{BranchKey, KeyError, Keys, static_branch_unlikely, static_key};
use limen_mmu::address::PhysAddr;
use limen_mmu::layout;

use crate::arch::mmu::Descriptors;
use crate::arch::{self, cpu};
use crate::console;
use crate::page_table::{self, Access, MapError, MemoryType, Owner, Run, Tables};
use crate::panic::fatal;
use crate::program_sites::{self, ProgramSites, Records};
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
    /// The kernel records every event for a replay.
    RECORDING = false
);
static_key!(
    /// The kernel prints faults, checks its invariants or traces: traps take a path of their own.
    WATCHED = false
);
static_key!(
    /// A program samples its own crossings, or the kernel checks itself, traces or records: every trap and every return goes
    /// through the probes.
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
    /// Whether other processors execute the code, so that it is written in steps.
    is_shared: bool,
    /// Branches whose change has begun and takes more steps.
    batch: Option<Batch>,
}

/// Branches that change together, in steps.
#[derive(Clone, Copy, Debug)]
struct Batch {
    /// The key of the image and its state; `None` for one of the kernel that no program has.
    key: Option<(usize, bool)>,
    /// The branches in programs.
    sites: Records,
    /// The kernel's keys and their states.
    own: [Option<(&'static BranchKey, bool)>; OWN],
    /// Whether all branches of the key follow afterwards.
    patching: Patching,
    /// The number of the next step.
    step: u32,
}

impl SystemKeys {
    /// Patches more branches on a key to its state, at most `room`. The kernel's own branches are patched with the last ones
    /// of programs.
    pub fn patch(&mut self, key: KeyId, state: bool, room: &mut usize) -> Patching {
        let index = limen_core::kernel::Keys::index_of(key);
        if self.is_shared {
            return self.patch_shared(index, state, room);
        }
        let patching = self.sites.patch(&mut Frames(self.own.engine_mut()), index, state, room);
        if let (Patching::Done, Some(Some(key))) = (patching, self.known.get(index)) {
            if *key == KernelKey::Printing && state {
                console::open();
            }
            match known(*key) {
                Some(own) => self.set_own(own, state),
                None => self.set_group(*key, state),
            }
            let is_watched = is_printing() || is_self_checking() || is_tracing() || is_recording();
            self.set_own(&WATCHED, is_watched);
            self.lead_past_probes();
        }
        patching
    }

    /// Turns a group of the trace on or off. Programs trace by a system call, which needs no branch.
    fn set_group(&mut self, key: KernelKey, state: bool) {
        if self.has_ring {
            self.note_group(key, state);
            self.set_own(&TRACING, traces_events(self.groups));
        }
    }

    #[inline(always)]
    fn note_group(&mut self, key: KernelKey, state: bool) {
        self.groups = self.groups & !key.option() | if state { key.option() } else { 0 };
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

    /// Sends every trap and every return through the probes, or only if self-checks need it. Out of line: code with
    /// branches must stay mapped in every image.
    #[inline(never)]
    pub fn set_probing(&mut self, state: bool) -> Patching {
        self.is_sampled = state;
        if self.is_shared {
            return self.probe_shared();
        }
        self.lead_past_probes();
        Patching::Done
    }

    /// Takes the next step of leading traps through the probes, or past them, while other processors execute the branches.
    #[cold]
    #[inline(never)]
    fn probe_shared(&mut self) -> Patching {
        match self.finish_batch() {
            Some(_) => Patching::More,
            None => {
                let own = self.own_changes(None);
                self.begin_batch(Batch { own, ..Batch::NOTHING })
            }
        }
    }

    /// Takes the next step of patching branches while other processors execute them. The kernel's own branches are patched
    /// with the last ones of programs.
    #[cold]
    #[inline(never)]
    fn patch_shared(&mut self, index: usize, state: bool, room: &mut usize) -> Patching {
        if let Some((key, patching)) = self.finish_batch() {
            return if key == Some((index, state)) { patching } else { Patching::More };
        }
        let (sites, patching) = self.sites.next(index, state, room);
        let known = self.known.get(index).copied().flatten().filter(|_| patching == Patching::Done);
        if known == Some(KernelKey::Printing) && state {
            console::open();
        }
        if let Some(key) = known.filter(|key| key.is_trace() && self.has_ring) {
            self.note_group(key, state);
            GROUPS.store(self.groups, Ordering::Relaxed);
        }
        let own = known.map_or([None; OWN], |key| self.own_changes(Some((key, state))));
        self.begin_batch(Batch { key: Some((index, state)), sites, own, patching, step: 0 })
    }

    /// Takes the next step of the batch that has begun, if there is one. Returns its key, and whether all branches of that
    /// follow.
    fn finish_batch(&mut self) -> Option<(Option<(usize, bool)>, Patching)> {
        let batch = self.batch.take()?;
        let patching = self.step_shared(batch);
        Some((batch.key, patching))
    }

    /// Takes the first step of a batch. One without branches, because others have completed it, takes none.
    fn begin_batch(&mut self, batch: Batch) -> Patching {
        if batch.sites.is_empty() && batch.own.iter().all(Option::is_none) {
            return batch.patching;
        }
        self.step_shared(batch)
    }

    /// Takes a step of a batch, and returns whether all branches of its key follow.
    #[cold]
    #[inline(never)]
    fn step_shared(&mut self, mut batch: Batch) -> Patching {
        arch::text::note_steps(true);
        let state = batch.key.is_some_and(|(_, state)| state);
        program_sites::step_shared(&mut Frames(self.own.engine_mut()), batch.sites, state, batch.step);
        for (own, state) in batch.own.into_iter().flatten() {
            match self.own.step(own, state, batch.step) {
                Ok(()) | Err(KeyError::Fixed) => {}
                Err(error) => fatal(format_args!("{error}")),
            }
        }
        batch.step += 1;
        if batch.step < STEPS {
            self.batch = Some(batch);
            return Patching::More;
        }
        batch.patching
    }

    /// Notes that every processor has synchronised with the code as it is.
    pub fn note_synchronised(&mut self) {
        if self.batch.is_none() {
            arch::text::note_steps(false);
        }
    }

    /// The changes of the kernel's keys after a key of the image has changed.
    fn own_changes(&self, changed: Option<(KernelKey, bool)>) -> [Option<(&'static BranchKey, bool)>; OWN] {
        let state_of = |key: KernelKey, own: &BranchKey| match changed {
            Some((changed, state)) if changed == key => state,
            _ => own.is_enabled(),
        };
        let is_printing = state_of(KernelKey::Printing, &PRINTING);
        let is_checking = state_of(KernelKey::SelfCheck, &SELF_CHECK);
        let is_tracing = traces_events(self.groups);
        // Not `is_recording`: this code has no static branches.
        let is_followed = is_checking || is_tracing || RECORDING.is_enabled();
        let wanted: [(&'static BranchKey, bool); OWN] = [
            (&PRINTING, is_printing),
            (&SELF_CHECK, is_checking),
            (&TRACING, is_tracing),
            (&WATCHED, is_printing || is_followed),
            (&PROBING, self.is_sampled || is_followed),
        ];
        wanted.map(|(own, state)| (own.is_enabled() != state).then_some((own, state)))
    }

    /// Self-checks, the trace and a recording also need the probes: the fast paths have no key of their own.
    fn lead_past_probes(&mut self) {
        let is_led = self.is_sampled || is_self_checking() || is_tracing() || is_recording();
        self.set_own(&PROBING, is_led);
    }

    fn set_own(&mut self, key: &BranchKey, state: bool) {
        match if state { self.own.enable(key) } else { self.own.disable(key) } {
            // `Fixed`: a build that measures what keys cost.
            Ok(()) | Err(KeyError::Fixed) => {}
            Err(error) => fatal(format_args!("{error}")),
        }
    }
}

impl Batch {
    /// No branches.
    const NOTHING: Self = Self { key: None, sites: &[], own: [None; OWN], patching: Patching::Done, step: 0 };
}

/// The kernel's keys that change while other processors execute their branches.
const OWN: usize = 5;

/// The groups of the trace that are on, for the kernels without [`SystemKeys`]. The keeper stores it before it writes the code
/// that traces, and the others synchronise with the code afterwards.
static GROUPS: AtomicU64 = AtomicU64::new(0);

/// Steps of a batch. The last one writes the same code again, for emulators that translate code: QEMU before version 8.1 does
/// not notice a store to an instruction that another processor is translating at that time. When all have synchronised, they
/// are not translating it any more.
const STEPS: u32 = Native::STEPS + 1;

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

/// Whether the kernel records every event. Boot decides it.
#[inline(always)]
pub fn is_recording() -> bool {
    static_branch_unlikely!(RECORDING)
}

/// Tells the kernels without [`SystemKeys`] which groups of the trace are on, before they run.
pub fn share_groups(image: &Image<'_>) {
    GROUPS.store(image.options() & Options::TRACE, Ordering::Relaxed);
}

/// The groups of the trace that are on, for a kernel without [`SystemKeys`].
#[cold]
pub fn shared_groups() -> u64 {
    GROUPS.load(Ordering::Relaxed)
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
    let is_recording = image.options() & Options::RECORDING != 0;
    keys.preset(&TRACING, is_tracing);
    keys.preset(&RECORDING, is_recording);
    keys.preset(&WATCHED, image.options() & watches != 0 || is_tracing || is_recording);
    let is_checking = image.options() & KernelKey::SelfCheck.option() != 0;
    keys.preset(&PROBING, is_checking || is_tracing || is_recording);
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
    place.insert(SystemKeys {
        own: keys,
        known,
        sites,
        is_sampled: false,
        groups,
        has_ring,
        is_shared: image.processors() > 1,
        batch: None,
    })
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
