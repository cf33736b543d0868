//! Sites of static keys in the code of programs, which the kernel exchanges when a key of the system changes.
//!
//! The boot image lists them, and its reader has checked that each lies in page contents and in one word. The kernel does not
//! map programs: it writes through the window for code, to the page that the program executes.

use limen_abi::limits::KEY_SITES;
use limen_image::Image;
use limen_keys::encoding::Instruction;
use limen_keys::engine::{Engine, Parked, WINDOW_BYTES, Written};

/// A site.
#[derive(Clone, Copy, Debug)]
struct Site {
    paddr: usize,
    key: u16,
    length: u16,
    if_on: u64,
    if_off: u64,
}

impl Site {
    const NONE: Self = Self { paddr: 0, key: 0, length: 0, if_on: 0, if_off: 0 };

    fn instruction(&self, state: bool) -> Instruction {
        Instruction { bits: if state { self.if_on } else { self.if_off }, length: u32::from(self.length) }
    }

    fn page(&self) -> usize {
        self.paddr / WINDOW_BYTES * WINDOW_BYTES
    }
}

/// All of them, in the order of the image.
#[derive(Debug)]
pub struct ProgramSites {
    sites: [Site; KEY_SITES],
    count: usize,
}

impl ProgramSites {
    /// None.
    pub const NONE: Self = Self { sites: [Site::NONE; KEY_SITES], count: 0 };

    /// Takes those of the image.
    pub fn read(&mut self, image: &Image<'_>) {
        for (site, record) in self.sites.iter_mut().zip(image.key_sites()) {
            *site = Site {
                paddr: (image.region(record.region).paddr + record.offset) as usize,
                key: record.key as u16,
                length: record.length as u16,
                if_on: record.if_on,
                if_off: record.if_off,
            };
            self.count += 1;
        }
    }

    /// Makes all sites of a key follow its new state.
    pub fn flip(&self, engine: &mut impl Engine, key: usize, state: bool) {
        let mut sites = self.sites.iter().take(self.count).filter(|site| usize::from(site.key) == key);
        let Some(first) = sites.next() else { return };
        let parked = Parked::new(engine);
        match parked.open(first.page()) {
            Ok(window) => {
                let written = window.exchange(offset(first), |word| exchanged(first, word, state));
                sites.fold(written, |written, site| write(written, site, state)).publish().resume();
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
