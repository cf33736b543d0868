//! Sites of static keys in the code of programs, which the kernel exchanges when a key of the system changes.
//!
//! The boot image lists them, and its reader has checked that each lies in page contents and in one word. The kernel does not
//! map programs: it writes through the window for code, to the page that the program executes.

use limen_abi::limits::{KEY_SITES, KEYS};
use limen_image::Image;
use limen_keys::encoding::Instruction;
use limen_keys::engine::{Engine, Parked, WINDOW_BYTES, Written};

/// A site.
#[derive(Clone, Copy, Debug)]
struct Site {
    paddr: usize,
    length: u32,
    if_on: u64,
    if_off: u64,
}

impl Site {
    const NONE: Self = Self { paddr: 0, length: 0, if_on: 0, if_off: 0 };

    fn instruction(&self, state: bool) -> Instruction {
        Instruction { bits: if state { self.if_on } else { self.if_off }, length: self.length }
    }

    fn page(&self) -> usize {
        self.paddr / WINDOW_BYTES * WINDOW_BYTES
    }
}

/// All of them, those of a key one behind the other.
#[derive(Debug)]
pub struct ProgramSites {
    sites: [Site; KEY_SITES],
    /// Where those of each key end, and those of the next begin.
    ends: [u16; KEYS],
}

impl ProgramSites {
    /// None.
    pub const NONE: Self = Self { sites: [Site::NONE; KEY_SITES], ends: [0; KEYS] };

    /// Takes those of the image.
    pub fn read(&mut self, image: &Image<'_>) {
        for (site, record) in self.sites.iter_mut().zip(image.key_sites()) {
            *site = Site {
                paddr: (image.region(record.region).paddr + record.offset) as usize,
                length: record.length as u32,
                if_on: record.if_on,
                if_off: record.if_off,
            };
            let later_keys = self.ends.iter_mut().skip(record.key as usize);
            later_keys.for_each(|end| *end += 1);
        }
    }

    fn of(&self, key: usize) -> &[Site] {
        let end = |key: usize| self.ends.get(key).map_or(0, |end| usize::from(*end));
        let start = key.checked_sub(1).map_or(0, end);
        self.sites.get(start..end(key)).unwrap_or_default()
    }

    /// Makes all sites of a key follow its new state.
    pub fn flip(&self, engine: &mut impl Engine, key: usize, state: bool) {
        let Some((first, others)) = self.of(key).split_first() else { return };
        let parked = Parked::new(engine);
        match parked.open(first.page()) {
            Ok(window) => {
                let written = window.exchange(offset(first), |word| exchanged(first, word, state));
                others.iter().fold(written, |written, site| write(written, site, state)).publish().resume();
            }
            Err(parked) => parked.resume(),
        }
    }
}

fn write<'e, E: Engine>(written: Written<'e, E>, site: &Site, state: bool) -> Written<'e, E> {
    match written.open(site.page()) {
        Ok(window) => window.exchange(offset(site), |word| exchanged(site, word, state)),
        Err(written) => written,
    }
}

fn exchanged(site: &Site, word: u64, state: bool) -> u64 {
    site.instruction(state).insert(word, (site.paddr % size_of::<u64>()) as u32)
}

/// The offset of the word in its page.
fn offset(site: &Site) -> usize {
    site.paddr % WINDOW_BYTES / size_of::<u64>() * size_of::<u64>()
}
