//! The kernel's static keys: what boot makes of their table, and which option each is.

use core::slice;
use core::sync::atomic::Ordering;

use limen_image::Options;
use limen_keys::arch::Native;
use limen_keys::keys::Unsettled;
use limen_keys::site::Row;
use limen_keys::table::{Sections, Table};
use limen_keys::{Key, KeyError, Keys, static_branch_unlikely, static_key};

use crate::panic::fatal;
use crate::text::{self, Writer};

static_key!(
    /// Programs may print through the kernel.
    pub PRINTING = false
);
static_key!(
    /// The kernel checks what must be true between two events.
    pub SELF_CHECK = false
);
static_key!(
    /// Shows at boot that keys work.
    SELF_TEST = false
);

/// Each option of an image, and its key.
static OPTIONS: [(u64, &Key); 2] =
    [(Options::PRINTING, PRINTING.key()), (Options::CHECK_INVARIANTS, SELF_CHECK.key())];

/// All keys of the kernel.
type KernelKeys = Keys<'static, Native, Writer>;

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
pub fn start(options: u64, code: Writer) {
    let sections = Sections { rows: rows(), keys: all(), text: text::words() };
    let table = Table::link(sections).unwrap_or_else(|error| fatal(format_args!("{error}")));
    let mut keys = Unsettled::new(table);
    for (option, key) in OPTIONS {
        keys.preset(key, options & option != 0);
    }
    let mut keys = keys.settle(code).unwrap_or_else(|error| fatal(format_args!("{error}")));
    if is_printing() {
        test(&mut keys).unwrap_or_else(|error| fatal(format_args!("{error}")));
    }
}

/// Turns a key on and off again, and checks that branches follow and that nothing is left of it.
fn test(keys: &mut KernelKeys) -> Result<(), KeyError> {
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
