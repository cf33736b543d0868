//! The ELF reader: entry, loadable segments, symbols.
//!
//! It keeps only what the builder uses, and checks everything once. Later code relies on 64-bit little-endian
//! executables whose segments neither overflow nor exceed the file.

use std::collections::HashMap;

use limen_sdf::Architecture;
use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};

/// Limit of user and kernel addresses: 64 bits with room for rounding.
const ADDRESS_LIMIT: u64 = u64::MAX - 0xffff;

/// Most loadable segments of a program; a typical one has a handful.
const MAX_SEGMENTS: usize = 1024;
/// Most sections. Each lookup compares names, which can be as long as the file.
const MAX_SECTIONS: usize = 4096;
/// Limit of the total length of symbol names, as a multiple of the file size. Names can overlap in the file.
const MAX_NAMES: u64 = 16;

/// An executable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElfFile {
    /// Address of the first instruction.
    pub entry: u64,
    /// Whether it must be loaded at its link addresses.
    pub is_fixed: bool,
    /// Loadable segments that occupy memory, ascending and disjoint.
    pub segments: Vec<ElfSegment>,
    /// Symbols that have an address.
    pub symbols: Symbols,
    /// The section that lists branches on static keys; `None` without such a section.
    pub key_sites: Option<Vec<u8>>,
    /// Whether it has fallback branches, which load their keys; `None` without a section that says so.
    pub reads_keys: Option<bool>,
    /// The build id that the linker gave it.
    pub build_id: Option<Vec<u8>>,
}

/// A loadable segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElfSegment {
    /// First address.
    pub vaddr: u64,
    /// Contents from the file; at most `memory_bytes`.
    pub data: Vec<u8>,
    /// Size in memory; the rest after the file contents is zero.
    pub memory_bytes: u64,
    /// ELF program header flags: execute 1, write 2, read 4.
    pub flags: u32,
}

impl ElfSegment {
    /// First address after the segment.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.vaddr + self.memory_bytes
    }
}

/// Symbols by name; a name shared by several symbols has several entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    by_name: HashMap<Vec<u8>, Vec<Symbol>>,
}

/// A symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// First address.
    pub vaddr: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Kind.
    pub kind: SymbolKind,
}

/// Kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A variable.
    Object,
    /// A label of assembly or of a linker script, which does not say.
    Untyped,
    /// A function.
    Function,
    /// Another kind, such as a variable of which each thread has its own.
    Other,
}

impl Symbols {
    /// Whether the program has no symbols because it was stripped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Whether there is one with this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name.as_bytes())
    }

    /// Suggests a symbol with a similar name; `None` if the name exists.
    #[must_use]
    pub fn did_you_mean(&self, name: &str) -> Option<String> {
        if self.contains(name) {
            return None;
        }
        let mut names: Vec<_> = self.by_name.keys().filter_map(|name| str::from_utf8(name).ok()).collect();
        names.sort_unstable();
        limen_nearest::did_you_mean(name, names)
    }

    /// The unique symbol with this name.
    ///
    /// # Errors
    /// No symbol or several symbols have the name.
    pub fn unique(&self, name: &str) -> Result<Symbol, String> {
        match self.by_name.get(name.as_bytes()).map(Vec::as_slice) {
            Some([symbol]) => Ok(*symbol),
            Some([_, ..]) => Err(format!("multiple symbols with name '{name}' found")),
            Some([]) | None => Err(format!("no symbol named '{name}' found")),
        }
    }
}

impl ElfFile {
    /// Reads an executable for `architecture`.
    ///
    /// # Errors
    /// Why the file is unusable.
    pub fn parse(data: &[u8], architecture: Architecture) -> Result<Self, String> {
        if !data.starts_with(&elf::ELFMAG) {
            return Err("it is not an ELF file".to_owned());
        }
        let header = FileHeader64::<LittleEndian>::parse(data).map_err(|e| e.to_string())?;
        let endian = header.endian().map_err(|e| e.to_string())?;
        check_machine(header, endian, architecture)?;
        Ok(Self {
            entry: header.e_entry.get(endian),
            is_fixed: header.e_type.get(endian) == elf::ET_EXEC,
            segments: segments(header, endian, data)?,
            symbols: symbols(header, endian, data)?,
            key_sites: section(header, endian, data, b"limen_key_sites")?,
            reads_keys: section(header, endian, data, b"limen_key_words")?.map(|words| !words.is_empty()),
            build_id: build_id(header, endian, data)?,
        })
    }

    /// The lowest address and the first address after the last segment; both 0 without segments.
    #[must_use]
    pub fn extent(&self) -> (u64, u64) {
        let first = self.segments.first().map_or(0, |segment| segment.vaddr);
        (first, self.segments.last().map_or(0, ElfSegment::end))
    }
}

type Header = FileHeader64<LittleEndian>;

/// ELF machine number and display name of an architecture.
pub(crate) fn machine(architecture: Architecture) -> (u16, &'static str) {
    match architecture {
        Architecture::Aarch64 => (elf::EM_AARCH64, "AArch64"),
        Architecture::Riscv64 => (elf::EM_RISCV, "RISC-V"),
        Architecture::X86_64 => (elf::EM_X86_64, "x86-64"),
    }
}

fn check_machine(header: &Header, endian: LittleEndian, architecture: Architecture) -> Result<(), String> {
    let (machine, name) = machine(architecture);
    if header.e_machine.get(endian) != machine {
        return Err(format!("it is not a file for {name}"));
    }
    match header.e_type.get(endian) {
        elf::ET_EXEC | elf::ET_DYN => Ok(()),
        _ => Err("it is not an executable".to_owned()),
    }
}

fn segments(header: &Header, endian: LittleEndian, data: &[u8]) -> Result<Vec<ElfSegment>, String> {
    let (mut segments, mut file_bytes) = (Vec::new(), 0);
    for program_header in header.program_headers(endian, data).map_err(|e| e.to_string())? {
        let memory_bytes = program_header.p_memsz(endian);
        if program_header.p_type(endian) != elf::PT_LOAD || memory_bytes == 0 {
            continue;
        }
        let vaddr = program_header.p_vaddr(endian);
        let contents = program_header
            .data(endian, data)
            .map_err(|()| format!("the segment at 0x{vaddr:x} lies outside the file"))?;
        if contents.len() as u64 > memory_bytes {
            return Err(format!("the segment at 0x{vaddr:x} has more bytes in the file than in memory"));
        }
        if vaddr.checked_add(memory_bytes).is_none_or(|end| end > ADDRESS_LIMIT) {
            return Err(format!("the segment at 0x{vaddr:x} reaches beyond the last address"));
        }
        let flags = program_header.p_flags(endian);
        file_bytes += contents.len() as u64;
        if file_bytes > data.len() as u64 {
            return Err("its segments have more bytes than the file".to_owned());
        }
        if segments.len() == MAX_SEGMENTS {
            return Err(format!("it has more than {MAX_SEGMENTS} loadable segments"));
        }
        segments.push(ElfSegment { vaddr, data: contents.to_vec(), memory_bytes, flags });
    }
    segments.sort_by_key(|segment| segment.vaddr);
    match segments.windows(2).find(|pair| pair[1].vaddr < pair[0].end()) {
        Some(pair) => Err(format!("the segments at 0x{:x} and 0x{:x} overlap", pair[0].vaddr, pair[1].vaddr)),
        None if segments.is_empty() => Err("it has no loadable segment".to_owned()),
        None => Ok(segments),
    }
}

fn sections<'d>(
    header: &Header,
    endian: LittleEndian,
    data: &'d [u8],
) -> Result<SectionTable<'d, Header>, String> {
    let sections = header.sections(endian, data).map_err(|e| e.to_string())?;
    if sections.len() > MAX_SECTIONS {
        return Err(format!("it has {} sections, at most {MAX_SECTIONS} are allowed", sections.len()));
    }
    Ok(sections)
}

/// The contents of a section; `None` if it does not exist.
fn section(
    header: &Header,
    endian: LittleEndian,
    data: &[u8],
    name: &[u8],
) -> Result<Option<Vec<u8>>, String> {
    let sections = sections(header, endian, data)?;
    let Some((_, section)) = sections.section_by_name(endian, name) else { return Ok(None) };
    section.data(endian, data).map(|contents| Some(contents.to_vec())).map_err(|e| e.to_string())
}

/// The build id, from sections or, in a file without sections, from segments. Damaged notes are none.
fn build_id(header: &Header, endian: LittleEndian, data: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let sections = sections(header, endian, data)?;
    let in_sections = sections.iter().filter_map(|section| section.notes(endian, data).ok().flatten());
    let segments = header.program_headers(endian, data).map_err(|e| e.to_string())?;
    let in_segments = segments.iter().filter_map(|segment| segment.notes(endian, data).ok().flatten());
    for mut notes in in_sections.chain(in_segments) {
        while let Ok(Some(note)) = notes.next() {
            if note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == elf::NT_GNU_BUILD_ID {
                return Ok(Some(note.desc().to_vec()));
            }
        }
    }
    Ok(None)
}

fn symbols(header: &Header, endian: LittleEndian, data: &[u8]) -> Result<Symbols, String> {
    let table = sections(header, endian, data)?;
    let table = table.symbols(endian, data, elf::SHT_SYMTAB).map_err(|e| e.to_string())?;
    let (mut symbols, mut name_bytes) = (Symbols::default(), 0);
    for symbol in table.iter() {
        let placed = symbol.st_shndx(endian) != elf::SHN_UNDEF;
        let named = !matches!(symbol.st_type(), elf::STT_SECTION | elf::STT_FILE);
        if placed && named {
            let name = symbol.name(endian, table.strings()).map_err(|e| e.to_string())?;
            name_bytes += name.len() as u64;
            if name_bytes > MAX_NAMES * data.len() as u64 {
                return Err("the names of its symbols overlap".to_owned());
            }
            let kind = match symbol.st_type() {
                elf::STT_OBJECT | elf::STT_COMMON => SymbolKind::Object,
                elf::STT_NOTYPE => SymbolKind::Untyped,
                elf::STT_FUNC | elf::STT_GNU_IFUNC => SymbolKind::Function,
                _ => SymbolKind::Other,
            };
            let found = Symbol { vaddr: symbol.st_value(endian), bytes: symbol.st_size(endian), kind };
            symbols.by_name.entry(name.to_vec()).or_default().push(found);
        }
    }
    Ok(symbols)
}

#[cfg(test)]
mod tests {
    use object::elf::{PF_R, PF_X};
    use proptest::prelude::*;

    use super::*;
    use crate::program::Program;
    use crate::system_file::{Kernel, Loader};
    use crate::test_elf::TestElf;
    use crate::test_system::elf_file;

    /// Reads the bytes in all ways that the builder does.
    fn read(bytes: &[u8]) {
        if let Ok(elf) = ElfFile::parse(bytes, Architecture::Aarch64) {
            let _ = Loader::from_elf(&elf);
            let _ = Kernel::from_elf(&elf);
            if let Ok(program) = Program::from_elf("p", std::path::Path::new("p"), elf) {
                program.segments.iter().for_each(|segment| assert!(!segment.runs().is_empty()));
            }
        }
    }

    #[test]
    fn segments_are_sorted_and_empty_ones_dropped() {
        let elf = TestElf::new(8).segment(PF_R, 0x2000, b"b", 9).segment(PF_R | PF_X, 0, b"a", 1);
        let elf = elf_file(&elf.segment(PF_R, 0x1000, &[], 0));
        let found: Vec<_> = elf.segments.iter().map(|s| (s.vaddr, s.data.as_slice(), s.end())).collect();
        assert_eq!(found, [(0, b"a".as_slice(), 1), (0x2000, b"b", 0x2009)]);
        assert_eq!((elf.entry, elf.extent()), (8, (0, 0x2009)));
    }

    /// The file has 64 bytes of header and 56 for each segment.
    #[test]
    fn segments_cannot_exceed_the_size_of_the_file() {
        let mut bytes = TestElf::new(0).segment(PF_R, 0, &[7; 0x1000], 0x1000).bytes();
        let segments =
            |bytes: &[u8]| ElfFile::parse(bytes, Architecture::Aarch64).map(|elf| elf.segments.len());
        assert_eq!(segments(&bytes), Ok(1));
        let count = 40_u64;
        let contents = 64 + 56 * count;
        let headers: Vec<u8> = (0..count)
            .flat_map(|index| [1 | 4 << 32, contents, index << 12, index << 12, 0x1000, 0x1000, 1])
            .flat_map(u64::to_le_bytes)
            .collect();
        bytes.splice(64..64 + 56, headers);
        bytes[56..58].copy_from_slice(&(count as u16).to_le_bytes());
        // Without sections.
        bytes[40..48].fill(0);
        bytes[60..64].fill(0);
        assert_eq!(segments(&bytes), Err("its segments have more bytes than the file".to_owned()));
    }

    #[test]
    fn overlapping_symbol_names_are_limited() {
        let name: &'static str = "n".repeat(0x1000).leak();
        let elf = |count| {
            (0..count).fold(TestElf::program(), |elf, index| elf.symbol(name, 0x20_1000 + index, 1)).bytes()
        };
        assert!(ElfFile::parse(&elf(16), Architecture::Aarch64).is_ok());
        let refused = ElfFile::parse(&elf(200), Architecture::Aarch64);
        assert_eq!(refused, Err("the names of its symbols overlap".to_owned()));
    }

    #[test]
    fn segments_and_sections_are_limited() {
        let many =
            (0..1025).fold(TestElf::program(), |elf, n| elf.segment(PF_R, 0x100_0000 + n * 0x1000, b"s", 1));
        let refused = ElfFile::parse(&many.bytes(), Architecture::Aarch64);
        assert_eq!(refused, Err("it has more than 1024 loadable segments".to_owned()));
        let mut bytes = TestElf::program().bytes();
        bytes.resize(bytes.len() + 0x10_0000, 0);
        bytes[60..62].copy_from_slice(&5000_u16.to_le_bytes());
        let refused = ElfFile::parse(&bytes, Architecture::Aarch64);
        assert_eq!(refused, Err("it has 5000 sections, at most 4096 are allowed".to_owned()));
    }

    #[test]
    fn symbols_are_found_by_name() {
        let symbols = elf_file(&TestElf::program()).symbols;
        assert_eq!(
            symbols.unique("word"),
            Ok(Symbol { vaddr: 0x20_1068, bytes: 8, kind: SymbolKind::Object })
        );
        assert!(symbols.unique("wor").is_err());
    }

    proptest! {
        #[test]
        fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            read(&bytes);
        }

        #[test]
        fn damaged_files_do_not_panic(
            damage in prop::collection::vec((0..2000usize, any::<u8>()), 1..12),
            length in 0..3000usize,
        ) {
            let mut bytes = TestElf::program().bytes();
            for (at, value) in damage {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            bytes.truncate(length.max(64));
            read(&bytes);
        }

        #[test]
        fn damaged_headers_do_not_panic(word in 0..22usize, value in any::<u64>(), shift in 0..64u32) {
            let mut bytes = TestElf::program().bytes();
            bytes[16 + word * 8..][..8].copy_from_slice(&(value >> shift).to_le_bytes());
            read(&bytes);
        }
    }
}
