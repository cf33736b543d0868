//! A segment of a program's address space: whole pages with equal access.

use std::collections::BTreeMap;

use limen_abi::limits::PAGE_BYTES;
use limen_image::MappingFlags;
use object::elf::{PF_R, PF_W, PF_X};

use crate::elf::ElfSegment;

const PAGE: usize = PAGE_BYTES as usize;

/// Whole pages with equal access.
///
/// Pages without file contents are zero and take no space in the image; a write gives them contents.
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

/// Consecutive pages of a segment that either all have contents or are all zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First address.
    pub vaddr: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Whether all pages are zero, so that the image does not hold them.
    pub zero: bool,
}

impl Segment {
    pub(crate) fn new(part: &ElfSegment) -> Self {
        let (start, end) = (page_of(part.vaddr), part.end().next_multiple_of(PAGE_BYTES));
        let mut segment = Self { start, end, flags: mapping_flags(part.flags), contents: BTreeMap::new() };
        segment.write(part.vaddr, &part.data);
        segment
    }

    /// Merges a segment that shares a page with this one.
    ///
    /// The result has the access of both. The merge fails if it would make read-only memory writable or writable
    /// memory executable.
    pub(crate) fn extend(&mut self, part: &ElfSegment) -> Result<(), String> {
        let flags = mapping_flags(part.flags);
        let differ = |bit: u64| (self.flags ^ flags) & bit != 0;
        let writable = flags & MappingFlags::WRITE != 0;
        if differ(MappingFlags::WRITE) || (writable && differ(MappingFlags::EXECUTE)) {
            return Err(format!(
                "the segments with permissions '{}' and '{}' share the page at 0x{:x}; align each of them to a page",
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

    /// The pages with contents in a range, ascending.
    pub(crate) fn contents(&self, vaddr: u64, bytes: u64) -> impl Iterator<Item = &[u8; PAGE]> {
        self.contents.range(vaddr..vaddr + bytes).map(|(_, page)| &**page)
    }

    /// The segment as runs of similar pages, ascending.
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

    /// The eight bytes at an aligned address; `None` in a page without contents.
    pub(crate) fn word(&self, vaddr: u64) -> Option<u64> {
        let page = self.contents.get(&page_of(vaddr))?;
        let bytes = page.get((vaddr - page_of(vaddr)) as usize..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    }

    /// Writes `bytes`, which must lie in the segment; zero pages get contents.
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

/// Access in the notation of descriptions.
pub(crate) fn perms(flags: u64) -> String {
    let bits = [(MappingFlags::READ, 'r'), (MappingFlags::WRITE, 'w'), (MappingFlags::EXECUTE, 'x')];
    bits.into_iter().filter(|(bit, _)| flags & bit != 0).map(|(_, letter)| letter).collect()
}

pub(crate) fn page_of(vaddr: u64) -> u64 {
    vaddr / PAGE_BYTES * PAGE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(vaddr: u64, data: &[u8], memory_bytes: u64, flags: u32) -> ElfSegment {
        ElfSegment { vaddr, data: data.to_vec(), memory_bytes, flags }
    }

    fn runs(segment: &Segment) -> Vec<(u64, u64, bool)> {
        segment.runs().iter().map(|run| (run.vaddr, run.bytes, run.zero)).collect()
    }

    #[test]
    fn a_segment_covers_whole_pages() {
        let segment = Segment::new(&part(0x1ff0, &[1; 0x20], 0x1000, PF_R | PF_W));
        assert_eq!((segment.start, segment.end), (0x1000, 0x3000));
        assert_eq!(runs(&segment), [(0x1000, 0x2000, false)]);
        let pages: Vec<_> = segment.contents(0x1000, 0x2000).collect();
        assert_eq!((pages[0][0xfef], pages[0][0xff0], pages[1][0xf], pages[1][0x10]), (0, 1, 1, 0));
    }

    #[test]
    fn zero_pages_take_no_space_until_they_are_written() {
        let mut segment = Segment::new(&part(0x1000, b"x", 1 << 40, PF_R | PF_W));
        assert_eq!(runs(&segment), [(0x1000, 0x1000, false), (0x2000, (1 << 40) - 0x1000, true)]);
        segment.write(0x3ffc, &[7; 8]);
        let tail = (1 << 40) - 0x4000;
        assert_eq!(
            runs(&segment),
            [(0x1000, 0x1000, false), (0x2000, 0x1000, true), (0x3000, 0x2000, false), (0x5000, tail, true)]
        );
    }

    #[test]
    fn segments_on_one_page_are_merged_unless_one_becomes_writable() {
        let merge = |a, b| {
            let mut segment = Segment::new(&part(0x1000, b"a", 0x10, a));
            segment.extend(&part(0x1800, b"b", 0x1000, b)).map(|()| perms(segment.flags))
        };
        assert_eq!(merge(PF_R, PF_R | PF_X).as_deref(), Ok("rx"));
        assert_eq!(merge(PF_R | PF_W, PF_R | PF_W).as_deref(), Ok("rw"));
        assert!(merge(PF_R | PF_X, PF_R | PF_W).is_err());
        assert!(merge(PF_R, PF_R | PF_W).is_err());
        assert!(merge(PF_R | PF_W, PF_R | PF_W | PF_X).is_err());
    }
}
