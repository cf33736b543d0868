//! Part of a program's address space: whole pages with equal access.

use std::collections::BTreeMap;

use limen_abi::limits::PAGE_BYTES;
use limen_image::MappingFlags;
use object::elf::{PF_R, PF_W, PF_X};

use crate::elf::ElfSegment;

const PAGE: usize = PAGE_BYTES as usize;

/// Whole pages with equal access.
///
/// Pages that the file says nothing about are zero and take no space in the image; writing to one gives it contents.
#[derive(Clone, Debug)]
pub struct Segment {
    /// First address, page-aligned.
    pub start: u64,
    /// First address after the segment, page-aligned.
    pub end: u64,
    /// [`MappingFlags`] bits.
    pub flags: u64,
    contents: BTreeMap<u64, Box<[u8; PAGE]>>,
}

/// Pages of a segment that follow each other and are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First address.
    pub vaddr: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Whether all of it is zero, so that nothing needs to be in the image.
    pub zero: bool,
}

impl Segment {
    pub(crate) fn new(part: &ElfSegment) -> Self {
        let (start, end) = (page_of(part.vaddr), part.end().next_multiple_of(PAGE_BYTES));
        let mut segment = Self { start, end, flags: mapping_flags(part.flags), contents: BTreeMap::new() };
        segment.write(part.vaddr, &part.data);
        segment
    }

    /// Takes in a segment that shares a page with this one.
    ///
    /// Both get the access of both. That is refused where it would make anything writable that was not, or make
    /// writable memory executable.
    pub(crate) fn extend(&mut self, part: &ElfSegment) -> Result<(), String> {
        let flags = mapping_flags(part.flags);
        let differ = |bit: u64| (self.flags ^ flags) & bit != 0;
        let writable = flags & MappingFlags::WRITE != 0;
        if differ(MappingFlags::WRITE) || (writable && differ(MappingFlags::EXECUTE)) {
            return Err(format!(
                "the segments with permissions '{}' and '{}' share the page at 0x{:x}; align segments to pages \
                 in the linker script, as microkit.ld does",
                perms(self.flags),
                perms(flags),
                page_of(part.vaddr),
            ));
        }
        self.end = part.end().next_multiple_of(PAGE_BYTES);
        self.flags |= flags;
        self.write(part.vaddr, &part.data);
        Ok(())
    }

    /// The pages in a range that have contents, ascending.
    pub(crate) fn contents(&self, vaddr: u64, bytes: u64) -> impl Iterator<Item = &[u8; PAGE]> {
        self.contents.range(vaddr..vaddr + bytes).map(|(_, page)| &**page)
    }

    /// The segment as runs of equal pages, ascending.
    pub(crate) fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut next = self.start;
        for &vaddr in self.contents.keys() {
            if next < vaddr {
                runs.push(Run { vaddr: next, bytes: vaddr - next, zero: true });
            }
            match runs.last_mut() {
                Some(run) if !run.zero => run.bytes += PAGE_BYTES,
                _ => runs.push(Run { vaddr, bytes: PAGE_BYTES, zero: false }),
            }
            next = vaddr + PAGE_BYTES;
        }
        if next < self.end {
            runs.push(Run { vaddr: next, bytes: self.end - next, zero: true });
        }
        runs
    }

    /// Writes `bytes`, which lie in the segment; pages that were zero get contents.
    pub(crate) fn write(&mut self, vaddr: u64, bytes: &[u8]) {
        let mut page_vaddr = page_of(vaddr);
        let mut offset = (vaddr - page_vaddr) as usize;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(PAGE - offset));
            let page = self.contents.entry(page_vaddr).or_insert_with(|| Box::new([0; PAGE]));
            page[offset..offset + now.len()].copy_from_slice(now);
            (rest, page_vaddr, offset) = (later, page_vaddr + PAGE_BYTES, 0);
        }
    }
}

fn mapping_flags(elf: u32) -> u64 {
    let bit = |flag: u32, bits: u64| if elf & flag != 0 { bits } else { 0 };
    bit(PF_R, MappingFlags::READ)
        | bit(PF_W, MappingFlags::READ | MappingFlags::WRITE)
        | bit(PF_X, MappingFlags::READ | MappingFlags::EXECUTE)
}

/// Access as a description writes it.
pub(crate) fn perms(flags: u64) -> String {
    let bits = [(MappingFlags::READ, 'r'), (MappingFlags::WRITE, 'w'), (MappingFlags::EXECUTE, 'x')];
    bits.into_iter().filter(|(bit, _)| flags & bit != 0).map(|(_, letter)| letter).collect()
}

pub(crate) fn page_of(vaddr: u64) -> u64 {
    vaddr / PAGE_BYTES * PAGE_BYTES
}
