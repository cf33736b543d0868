//! The keys of this program, set up once.

use std::slice;
use std::sync::{Mutex, OnceLock, PoisonError};

use limen_keys::arch::Native;
use limen_keys::keys::Unpatched;
use limen_keys::shared::{CpuSet, Cpus, Locks, Shared};
use limen_keys::site::Row;
use limen_keys::table::{Sections, Table};
use limen_keys::{BranchKey, Keys};

use crate::engine::Code;

unsafe extern "C" {
    // The linker defines these for sections with such names.
    static __start_limen_key_sites: u8;
    static __stop_limen_key_sites: u8;
    static __start_limen_keys: u8;
    static __stop_limen_keys: u8;
}

// The section must exist even without sites.
std::arch::global_asm!(".pushsection limen_key_sites, \"awR\"", ".p2align 3", ".popsection");

/// The lock of all writers of code.
pub(crate) struct Writers(Mutex<Keys<'static, Native, Code>>);

impl Locks<'static> for Writers {
    type Encoding = Native;
    type Engine = Code;
    fn with<R>(&self, act: impl FnOnce(&mut Keys<'static, Native, Code>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A fixed set of cores.
pub(crate) struct AllCores;

impl CpuSet for AllCores {
    fn lock(&self) {}
    fn unlock(&self) {}
}

/// The context of a thread.
pub(crate) fn cpus() -> Cpus<'static, AllCores> {
    Cpus::new(&AllCores)
}

/// The keys of this program.
pub(crate) fn keys() -> &'static Shared<Writers> {
    static KEYS: OnceLock<Shared<Writers>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let code = Code::share(set_up as fn() as usize);
        let text = code.text();
        let (rows, keys) = (rows(), own_keys());
        let table = Table::link(Sections { rows, keys, text }).unwrap_or_else(|error| panic!("{error}"));
        let keys = Unpatched::new(table).patch_all(code).unwrap_or_else(|error| panic!("{error}"));
        Shared::new(Writers(Mutex::new(keys)))
    })
}

/// The linker's rows. Called once.
fn rows() -> &'static mut [Row] {
    let [start, end] = [&raw const __start_limen_key_sites, &raw const __stop_limen_key_sites];
    let count = (end.addr() - start.addr()) / size_of::<Row>();
    // SAFETY: an array of rows that has no other user.
    unsafe { slice::from_raw_parts_mut(start.cast_mut().cast(), count) }
}

/// The linker's keys.
fn own_keys() -> &'static [BranchKey] {
    let [start, end] = [&raw const __start_limen_keys, &raw const __stop_limen_keys];
    // SAFETY: an array of keys.
    unsafe { slice::from_raw_parts(start.cast(), (end.addr() - start.addr()) / size_of::<BranchKey>()) }
}

/// A function in the code that is shared.
fn set_up() {}
