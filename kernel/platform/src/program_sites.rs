//! Static-key sites in the code of programs, which the kernel patches when a key of the system changes.
//!
//! The boot image lists them, and its reader has checked that each lies in page contents and within one word. The list
//! is not copied: these pages of the image alone stay mapped after boot, read-only. The kernel does not map programs:
//! it writes through the patch window, to the page that the program executes.
//!
//! The sites of a key are patched in batches, from first to last when the key turns on and from last to first when it
//! turns off:
//!
//! ```text
//!   | on on on on on on on on | off off off off off off |
//!   first                     on                        end
//! ```

use core::ops::Range;

use limen_abi::limits::{KEY_SITES, KEYS, PAGE_BYTES};
use limen_core::machine::Patching;
use limen_image::{Image, Key, KeySite};
use limen_keys::arch::Native;
use limen_keys::encoding::{Encoding, Instruction};
use limen_keys::write::{Change, write};

use crate::page_table::span_bytes;
use crate::text::Frames;

const _: () = assert!((KEY_SITES * KeySite::LENGTH * size_of::<u64>()) as u64 + PAGE_BYTES <= span_bytes(1));

/// The sites of one key, as indices into all sites.
#[derive(Clone, Copy, Debug, Default)]
struct OfKey {
    first: u16,
    end: u16,
    /// The first site that has the instruction for "off".
    on: u16,
}

/// Records of sites.
pub type Records = &'static [[u64; KeySite::LENGTH]];

/// Takes a step of patching sites, while other processors execute them.
#[cold]
#[inline(never)]
pub fn step_shared(code: &mut Frames<'_>, sites: Records, state: bool, step: u32) {
    let sites = sites.iter().map(|record| SiteStep { record, state, step });
    _ = write(code, sites, |_| core::iter::empty());
}

/// All sites, grouped by key.
#[derive(Debug)]
pub struct ProgramSites {
    sites: Records,
    keys: [OfKey; KEYS],
}

impl ProgramSites {
    /// The sites of the image, whose records are these words.
    pub fn new(image: &Image<'_>, records: &'static [u64]) -> Self {
        let mut keys = [OfKey::default(); KEYS];
        let mut followed = image.key_sites().map(|record| record.key).peekable();
        let is_on = |key: &Key| key.default == 1;
        let mut next = 0;
        for ((of_key, key), index) in keys.iter_mut().zip(image.keys()).zip(0..) {
            of_key.first = next;
            while followed.next_if_eq(&index).is_some() {
                next += 1;
            }
            of_key.end = next;
            // The tool has written the instruction for the default.
            let group_is_on = image.keys().nth(key.group as usize).is_some_and(|group| is_on(&group));
            of_key.on = if is_on(&key) || group_is_on { of_key.end } else { of_key.first };
        }
        Self { sites: records.as_chunks().0, keys }
    }

    /// The number of sites of a key.
    pub fn count(&self, key: usize) -> u64 {
        self.keys.get(key).map_or(0, |of_key| u64::from(of_key.end - of_key.first))
    }

    /// Patches more sites of a key to its state, at most `room`, and subtracts their number.
    pub fn patch(&mut self, code: &mut Frames<'_>, key: usize, state: bool, room: &mut usize) -> Patching {
        let (sites, patching) = self.next(key, state, room);
        if !sites.is_empty() {
            let sites = sites.iter().map(|record| SiteChange { record, state });
            // A page of a program can always be opened.
            _ = write(code, sites, |_| core::iter::empty());
        }
        patching
    }

    /// The sites of a key to patch next, at most `room`, whose number is subtracted. They count as patched.
    #[inline(always)]
    pub fn next(&mut self, key: usize, state: bool, room: &mut usize) -> (Records, Patching) {
        let Some(of_key) = self.keys.get_mut(key) else { return (&[], Patching::Done) };
        let most = *room as u16;
        let (sites, on) = if state {
            let end = of_key.end.min(of_key.on + most);
            (of_key.on..end, end)
        } else {
            let start = of_key.first.max(of_key.on.saturating_sub(most));
            (start..of_key.on, start)
        };
        of_key.on = on;
        *room -= sites.len();
        let is_last = on == if state { of_key.end } else { of_key.first };
        let sites = self.sites.get(usize::from(sites.start)..usize::from(sites.end));
        (sites.unwrap_or_default(), if is_last { Patching::Done } else { Patching::More })
    }
}

/// The pages of the image that list its sites; empty if it has none.
pub fn pages(image: &Image<'_>) -> limen_image::Range {
    let Range { start, end } = image.key_site_words();
    if start == end {
        return limen_image::Range::default();
    }
    let address = |word: usize| image.paddr() + (word * size_of::<u64>()) as u64;
    let start = address(start) / PAGE_BYTES * PAGE_BYTES;
    limen_image::Range { start, end: address(end).next_multiple_of(PAGE_BYTES) }
}

/// The change of a site in a program, by its record, to a state of its key.
struct SiteChange<'s> {
    record: &'s [u64; KeySite::LENGTH],
    state: bool,
}

impl Change for SiteChange<'_> {
    fn address(&self) -> usize {
        KeySite::of(self.record).paddr as usize
    }

    fn apply(&self, word: u64) -> u64 {
        let KeySite { paddr, length, .. } = KeySite::of(self.record);
        let bits = KeySite::instruction(self.record, self.state);
        Instruction { bits, length: length as u32 }.insert(word, (paddr % size_of::<u64>() as u64) as u32)
    }
}

/// A step of such a change.
struct SiteStep<'s> {
    record: &'s [u64; KeySite::LENGTH],
    state: bool,
    step: u32,
}

impl Change for SiteStep<'_> {
    fn address(&self) -> usize {
        KeySite::of(self.record).paddr as usize
    }

    fn apply(&self, word: u64) -> u64 {
        let Self { record, state, step } = *self;
        let KeySite { paddr, length, .. } = KeySite::of(record);
        let [from, to] = [!state, state]
            .map(|state| Instruction { bits: KeySite::instruction(record, state), length: length as u32 });
        Native::step(from, to, step).insert(word, (paddr % size_of::<u64>() as u64) as u32)
    }
}
