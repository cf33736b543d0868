//! The kernel's static keys: what boot makes of their table, and which option each is.

use core::cell::UnsafeCell;
use core::slice;
use core::sync::atomic::Ordering;

use limen_abi::{KernelKey, limits};
use limen_core::arena::KeyId;
use limen_image::Image;
use limen_keys::arch::Native;
use limen_keys::keys::Unsettled;
use limen_keys::site::Row;
use limen_keys::table::{Sections, Table};
use limen_keys::{Key, KeyError, Keys, static_branch_unlikely, static_key};

use crate::console;
use crate::panic::fatal;
use crate::program_sites::ProgramSites;
use crate::text::{self, Frames, Writer};

static_key!(
    /// Programs may print through the kernel.
    pub PRINTING = false
);
static_key!(
    /// The kernel checks what must be true between two events.
    pub SELF_CHECK = false
);
static_key!(
    /// Some program samples its own crossings: every trap and every return pass the probes.
    pub PROBING = false
);
static_key!(
    /// Shows at boot that keys work.
    SELF_TEST = false
);

/// A key of the kernel that images and descriptions know.
fn known(key: KernelKey) -> &'static Key {
    match key {
        KernelKey::Printing => &PRINTING,
        KernelKey::SelfCheck => &SELF_CHECK,
    }
}

/// Where keys change the kernel's code.
pub type CodeSites = Table<'static, Native>;

/// The kernel's own keys.
type OwnKeys = Keys<'static, Native, Writer>;

/// The keys of a system, and the right to change them.
#[derive(Debug)]
pub struct SystemKeys {
    own: OwnKeys,
    /// Those of the image that are the kernel's.
    known: [Option<KernelKey>; limits::KEYS],
    /// What programs have of them.
    sites: &'static mut ProgramSites,
}

impl SystemKeys {
    /// Makes branches on a key follow its new state.
    pub fn set(&mut self, key: KeyId, state: bool) {
        let index = limen_core::kernel::Keys::index_of(key);
        self.sites.flip(&mut Frames(self.own.engine_mut()), index, state);
        if let Some(Some(key)) = self.known.get(index) {
            if *key == KernelKey::Printing && state {
                console::open();
            }
            self.set_own(known(*key), state).unwrap_or_else(|error| fatal(format_args!("{error}")));
        }
    }

    /// Leads every trap and every return past the probes, or none.
    pub fn set_probing(&mut self, state: bool) {
        self.set_own(&PROBING, state).unwrap_or_else(|error| fatal(format_args!("{error}")));
    }

    fn set_own(&mut self, key: &Key, state: bool) -> Result<(), KeyError> {
        match if state { self.own.enable(key) } else { self.own.disable(key) } {
            // A build that shows what keys cost.
            Err(KeyError::Fixed) => Ok(()),
            outcome => outcome,
        }
    }
}

/// What `start` makes.
struct Place<T>(UnsafeCell<T>);

// SAFETY: only `start` writes it, once, while boot is alone.
unsafe impl<T> Sync for Place<T> {}

static KEYS: Place<Option<SystemKeys>> = Place(UnsafeCell::new(None));
static CODE_SITES: Place<Option<CodeSites>> = Place(UnsafeCell::new(None));
static SITES: Place<ProgramSites> = Place(UnsafeCell::new(ProgramSites::NONE));

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

/// Whether the kernel checks what must be true between two events.
#[inline(always)]
pub fn is_self_checking() -> bool {
    static_branch_unlikely!(SELF_CHECK)
}

/// Checks the table of sites, and makes code follow the options of the image. No site may be executed before; called
/// once.
pub fn start(image: &Image<'_>, code: Writer) -> &'static mut SystemKeys {
    let sections = Sections { rows: rows(), keys: all(), text: text::words() };
    let table = Table::link(sections).unwrap_or_else(|error| fatal(format_args!("{error}")));
    let mut keys = Unsettled::new(table);
    for (key, ..) in KernelKey::ALL {
        keys.preset(known(*key), image.options() & key.option() != 0);
    }
    let mut keys = keys.settle(code).unwrap_or_else(|error| fatal(format_args!("{error}")));
    if image.options() & KernelKey::Printing.option() != 0 {
        test(&mut keys).unwrap_or_else(|error| fatal(format_args!("{error}")));
    }
    let mut known = [None; limits::KEYS];
    for (known, record) in known.iter_mut().zip(image.keys()) {
        *known = KernelKey::from_raw(record.kernel);
    }
    // SAFETY: boot calls once, so these are the only references.
    let (place, sites) = unsafe {
        *CODE_SITES.0.get() = Some(keys.table().clone());
        (&mut *KEYS.0.get(), &mut *SITES.0.get())
    };
    sites.read(image);
    place.insert(SystemKeys { own: keys, known, sites })
}

/// Where keys change the kernel's code, once boot knows.
pub fn code_sites() -> Option<&'static CodeSites> {
    // SAFETY: not written after boot.
    unsafe { (*CODE_SITES.0.get()).as_ref() }
}

/// Turns a key on and off again, and checks that branches follow and that nothing is left of it.
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

/// A number that all of the code goes into.
fn sum() -> u64 {
    let words = text::words().iter().map(|word| word.load(Ordering::Relaxed));
    words.fold(0, |sum, word| sum.rotate_left(1) ^ word)
}

/// The rows of the table.
fn rows() -> &'static mut [Row] {
    let [start, end] = [&raw const __start_limen_key_sites, &raw const __stop_limen_key_sites];
    // SAFETY: rows, one behind the other, in memory that can be written; only `start` asks, once.
    unsafe {
        slice::from_raw_parts_mut(start.cast_mut().cast(), (end.addr() - start.addr()) / size_of::<Row>())
    }
}

/// All keys.
fn all() -> &'static [Key] {
    let [start, end] = [&raw const __start_limen_keys, &raw const __stop_limen_keys];
    // SAFETY: keys, one behind the other.
    unsafe { slice::from_raw_parts(start.cast(), (end.addr() - start.addr()) / size_of::<Key>()) }
}
