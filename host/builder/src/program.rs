//! A program: an executable, cut into pages that the builder may still change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use limen_abi::limits::PAGE_BYTES;
use limen_image::MappingFlags;
use limen_sdf::model::ProtectionDomain;
use limen_sdf::{Architecture, Diagnostic};
use object::elf::{PF_R, PF_W, PF_X};

use crate::elf::{ElfFile, ElfSegment, Symbols};
use crate::error::{Context, error};

const PAGE: usize = PAGE_BYTES as usize;

/// A program that is being prepared for one address space.
#[derive(Clone, Debug)]
pub struct Program {
    /// Protection domain, or `monitor`.
    pub name: String,
    /// File of its segments.
    pub path: PathBuf,
    /// File of its symbols.
    pub symbols_path: PathBuf,
    /// First program counter.
    pub entry: u64,
    /// Parts of its address space, ascending, never sharing a page.
    pub segments: Vec<Segment>,
    /// Symbols.
    pub symbols: Symbols,
}

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

impl Program {
    /// Finds and reads the program of a protection domain.
    ///
    /// # Errors
    /// A file is missing, or is not an executable that can be loaded.
    pub fn load(
        domain: &ProtectionDomain,
        search_paths: &[PathBuf],
        architecture: Architecture,
    ) -> Result<Self, Diagnostic> {
        let image = &domain.program_image;
        let missing = |what: &str, path: &str| {
            error("program-image-not-found", format!("Error: unable to find {what}: '{path}'"))
                .at(&image.span)
                .help("Build the program first, or name its directory with --search-path.")
        };
        let path = find(&image.path, search_paths).ok_or_else(|| missing("program image", &image.path))?;
        let program = Self::read(&domain.name, &path, architecture).map_err(|e| e.at(&image.span))?;
        let Some(wanted) = &image.path_for_symbols else {
            return Ok(program);
        };
        let symbols_path =
            find(wanted, search_paths).ok_or_else(|| missing("program image for symbols", wanted))?;
        let symbols =
            read_elf(&domain.name, &symbols_path, architecture).map_err(|e| e.at(&image.span))?.symbols;
        Ok(Self { symbols, symbols_path, ..program })
    }

    /// Reads the program in this file.
    ///
    /// # Errors
    /// The file is missing, or is not an executable that can be loaded.
    pub fn read(name: &str, path: &Path, architecture: Architecture) -> Result<Self, Diagnostic> {
        let elf = read_elf(name, path, architecture)?;
        Self::from_elf(name, path, elf).map_err(|reason| unusable(name, path, &reason))
    }

    /// Writes `bytes` at `vaddr`; pages that were zero get contents.
    ///
    /// # Errors
    /// Not all of it lies in one segment.
    pub(crate) fn write(&mut self, vaddr: u64, bytes: &[u8]) -> Result<(), String> {
        let end = vaddr.saturating_add(bytes.len() as u64);
        let segment = self.segments.iter_mut().find(|s| s.start <= vaddr && end <= s.end);
        let segment = segment.ok_or_else(|| format!("address 0x{vaddr:x} is not in a loaded segment"))?;
        segment.write(vaddr, bytes);
        Ok(())
    }

    /// The contents of a run that is not zero.
    pub(crate) fn contents(&self, vaddr: u64, bytes: u64) -> impl Iterator<Item = &[u8; PAGE]> {
        let pages = self.segments.iter().flat_map(move |s| s.contents.range(vaddr..vaddr + bytes));
        pages.map(|(_, page)| &**page)
    }

    pub(crate) fn from_elf(name: &str, path: &Path, elf: ElfFile) -> Result<Self, String> {
        if !elf.is_fixed {
            return Err("it is position independent; link it with -Tmicrokit.ld and without -pie".to_owned());
        }
        let mut segments: Vec<Segment> = Vec::new();
        for part in &elf.segments {
            match segments.last_mut() {
                Some(last) if page_of(part.vaddr) < last.end => last.extend(part)?,
                _ => segments.push(Segment::new(part)),
            }
        }
        let executable = |s: &Segment| s.flags & MappingFlags::EXECUTE != 0;
        if !segments.iter().any(|s| executable(s) && (s.start..s.end).contains(&elf.entry)) {
            return Err(format!("its entry point 0x{:x} is not in an executable segment", elf.entry));
        }
        let (path, symbols_path) = (path.to_owned(), path.to_owned());
        Ok(Self {
            name: name.to_owned(),
            path,
            symbols_path,
            entry: elf.entry,
            segments,
            symbols: elf.symbols,
        })
    }
}

impl Segment {
    fn new(part: &ElfSegment) -> Self {
        let (start, end) = (page_of(part.vaddr), part.end().next_multiple_of(PAGE_BYTES));
        let mut segment = Self { start, end, flags: mapping_flags(part.flags), contents: BTreeMap::new() };
        segment.write(part.vaddr, &part.data);
        segment
    }

    /// Takes in a segment that shares a page with this one.
    ///
    /// Both get the access of both. That is refused where it would make anything writable that was not, or make
    /// writable memory executable.
    fn extend(&mut self, part: &ElfSegment) -> Result<(), String> {
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

    fn write(&mut self, vaddr: u64, bytes: &[u8]) {
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

/// Where `path` is: absolute, or in the first search path that has it; the working directory comes last.
fn find(path: &str, search_paths: &[PathBuf]) -> Option<PathBuf> {
    let here = PathBuf::new();
    let mut candidates = search_paths.iter().chain([&here]).map(|directory| directory.join(path));
    candidates.find(|candidate| candidate.is_file())
}

fn read_elf(name: &str, path: &Path, architecture: Architecture) -> Result<ElfFile, Diagnostic> {
    let data = fs::read(path).map_err(|e| unusable(name, path, &e.to_string()))?;
    ElfFile::parse(&data, architecture).map_err(|reason| unusable(name, path, &reason))
}

fn unusable(name: &str, path: &Path, reason: &str) -> Diagnostic {
    let path = path.display();
    error("program-elf", format!("ERROR: failed to parse ELF '{path}' for PD '{name}': {reason}"))
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

fn page_of(vaddr: u64) -> u64 {
    vaddr / PAGE_BYTES * PAGE_BYTES
}
