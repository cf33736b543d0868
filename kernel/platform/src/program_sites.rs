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

use limen_abi::limits::{KEY_SITES, KEY_SITES_AT_ONCE, KEYS, PAGE_BYTES};
use limen_core::machine::Patching;
use limen_image::{Image, KeySite};
use limen_keys::encoding::Instruction;
use limen_keys::engine::{Engine, Parked, WINDOW_BYTES, Written};

use crate::page_table::span_bytes;

const _: () = assert!((KEY_SITES * KeySite::LENGTH * size_of::<u64>()) as u64 + PAGE_BYTES <= span_bytes(1));

/// The sites of one key, as indices into all sites.
#[derive(Clone, Copy, Debug, Default)]
struct OfKey {
    first: u16,
    end: u16,
    /// The first site that has the instruction for "off".
    on: u16,
}

/// All sites, grouped by key.
#[derive(Debug)]
pub struct ProgramSites {
    records: &'static [u64],
    keys: [OfKey; KEYS],
}

impl ProgramSites {
    /// The sites of the image, whose records are these words.
    pub fn new(image: &Image<'_>, records: &'static [u64]) -> Self {
        let mut keys = [OfKey::default(); KEYS];
        let mut followed = image.key_sites().map(|record| record.key).peekable();
        let mut next = 0;
        for ((of_key, key), index) in keys.iter_mut().zip(image.keys()).zip(0..) {
            of_key.first = next;
            while followed.next_if_eq(&index).is_some() {
                next += 1;
            }
            of_key.end = next;
            // The tool has written the instruction for the default.
            of_key.on = if key.default == 1 { of_key.end } else { of_key.first };
        }
        Self { records, keys }
    }

    /// Patches more sites of a key to its state.
    pub fn patch(&mut self, engine: &mut impl Engine, key: usize, state: bool) -> Patching {
        let Some(of_key) = self.keys.get_mut(key) else { return Patching::Done };
        let most = KEY_SITES_AT_ONCE as u16;
        let (sites, on) = if state {
            let end = of_key.end.min(of_key.on + most);
            (of_key.on..end, end)
        } else {
            let start = of_key.first.max(of_key.on.saturating_sub(most));
            (start..of_key.on, start)
        };
        of_key.on = on;
        let is_last = on == if state { of_key.end } else { of_key.first };
        exchange(self.between(sites), engine, state);
        if is_last { Patching::Done } else { Patching::More }
    }

    fn between(&self, sites: Range<u16>) -> impl Iterator<Item = KeySite> {
        let word = |site: u16| usize::from(site) * KeySite::LENGTH;
        KeySite::all_in(self.records.get(word(sites.start)..word(sites.end)).unwrap_or_default())
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

fn exchange(mut sites: impl Iterator<Item = KeySite>, engine: &mut impl Engine, state: bool) {
    let Some(first) = sites.next() else { return };
    let parked = Parked::new(engine);
    match parked.open(page(&first)) {
        Ok(window) => {
            let written = window.exchange(offset(&first), |word| exchanged(&first, word, state));
            sites.fold(written, |written, site| write(written, &site, state)).publish().resume();
        }
        Err(parked) => parked.resume(),
    }
}

fn write<'e, E: Engine>(written: Written<'e, E>, site: &KeySite, state: bool) -> Written<'e, E> {
    match written.open(page(site)) {
        Ok(window) => window.exchange(offset(site), |word| exchanged(site, word, state)),
        Err(written) => written,
    }
}

fn exchanged(site: &KeySite, word: u64, state: bool) -> u64 {
    let bits = if state { site.if_on } else { site.if_off };
    Instruction { bits, length: site.length as u32 }
        .insert(word, (site.paddr % size_of::<u64>() as u64) as u32)
}

fn page(site: &KeySite) -> usize {
    site.paddr as usize / WINDOW_BYTES * WINDOW_BYTES
}

/// The offset of the site's word in its page.
fn offset(site: &KeySite) -> usize {
    site.paddr as usize % WINDOW_BYTES / size_of::<u64>() * size_of::<u64>()
}
