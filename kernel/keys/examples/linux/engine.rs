//! The engine of a Linux program. Its code is in shared memory; a window maps one page of it while it is written.
//!
//! Cores are not parked: they may execute a site while one store replaces it. `membarrier(2)` returns once each of them
//! has synchronised its instruction fetches.

use std::ffi::{c_char, c_int, c_long, c_void};
use std::fs;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use limen_keys::engine::{Engine, WINDOW_BYTES, WindowError};

#[path = "arch/membarrier.rs"]
mod membarrier;

use membarrier::MEMBARRIER;

const READ: c_int = 1;
const WRITE: c_int = 2;
const EXECUTE: c_int = 4;
const SHARED: c_int = 1;
const FIXED: c_int = 0x10;
/// `MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE`.
const SYNC_CORE: c_int = 1 << 5;
/// `MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE`.
const REGISTER_SYNC_CORE: c_int = 1 << 6;

unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        bytes: usize,
        access: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(at: *mut c_void, bytes: usize) -> c_int;
    fn memfd_create(name: *const c_char, flags: u32) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
    fn __clear_cache(start: *mut c_void, end: *mut c_void);
}

/// The code of this program.
#[derive(Debug)]
pub(crate) struct Code {
    file: fs::File,
    start: usize,
    words: usize,
    window: *mut c_void,
}

// SAFETY: the window belongs to the owner of the engine.
unsafe impl Send for Code {}

impl Code {
    /// Replaces the pages around `function` by shared memory with the same contents.
    pub(crate) fn share(function: usize) -> Self {
        let (start, end) = executable_mapping(function);
        let bytes = end - start;
        // SAFETY: the mapping is code of this program, which nothing changes yet.
        let code = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(start), bytes) };
        // SAFETY: creates a file, which the result owns.
        let mut file = unsafe { fs::File::from_raw_fd(memfd_create(c"code".as_ptr(), 0)) };
        file.write_all(code).expect("room for the code");
        // SAFETY: maps the same bytes at the same address with the same access.
        let moved = unsafe {
            mmap(
                ptr::without_provenance_mut(start),
                bytes,
                READ | EXECUTE,
                SHARED | FIXED,
                file.as_raw_fd(),
                0,
            )
        };
        assert_eq!(moved.addr(), start);
        // SAFETY: changes no memory.
        assert_eq!(unsafe { syscall(MEMBARRIER, REGISTER_SYNC_CORE, 0, 0) }, 0);
        Self { file, start, words: bytes / size_of::<u64>(), window: ptr::null_mut() }
    }

    /// The code as words.
    pub(crate) fn text(&self) -> &'static [AtomicU64] {
        // SAFETY: the code stays mapped while the program runs, and is written only by single stores of words.
        unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(self.start), self.words) }
    }
}

/// Start and end of the mapping that contains this function.
fn executable_mapping(function: usize) -> (usize, usize) {
    let maps = fs::read_to_string("/proc/self/maps").expect("the mappings of this program");
    let range = |line: &str| {
        let (start, end) = line.split_once(' ')?.0.split_once('-')?;
        Some((usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
    };
    maps.lines().filter_map(range).find(|(start, end)| (*start..*end).contains(&function)).expect("its code")
}

impl Engine for Code {
    fn park(&mut self) {}

    fn open(&mut self, page: usize) -> Result<(), WindowError> {
        let offset = i64::try_from(page - self.start).map_err(|_| WindowError)?;
        // SAFETY: the kernel chooses an unused address.
        let window = unsafe {
            mmap(ptr::null_mut(), WINDOW_BYTES, READ | WRITE, SHARED, self.file.as_raw_fd(), offset)
        };
        if window.addr() == usize::MAX {
            return Err(WindowError);
        }
        self.window = window;
        Ok(())
    }

    fn load(&self, offset: usize) -> u64 {
        assert!(offset < WINDOW_BYTES && offset.is_multiple_of(size_of::<u64>()));
        // SAFETY: a word of the open window.
        unsafe { (*self.window.byte_add(offset).cast::<AtomicU64>()).load(Ordering::Relaxed) }
    }

    fn store(&mut self, offset: usize, word: u64) {
        assert!(offset < WINDOW_BYTES && offset.is_multiple_of(size_of::<u64>()));
        // SAFETY: a word of the open window.
        unsafe {
            let place = self.window.byte_add(offset).cast::<u64>();
            (*place.cast::<AtomicU64>()).store(word, Ordering::Relaxed);
            __clear_cache(place.cast(), place.add(1).cast());
        }
    }

    fn close(&mut self) {
        // SAFETY: `open` made the mapping, and no other code knows it.
        assert_eq!(unsafe { munmap(self.window, WINDOW_BYTES) }, 0);
    }

    fn publish(&mut self) {
        // SAFETY: changes no memory.
        assert_eq!(unsafe { syscall(MEMBARRIER, SYNC_CORE, 0, 0) }, 0);
    }

    fn resume(&mut self) {}
}
