//! Small ELF files for tests, built without a compiler.

use object::elf;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};

/// An ELF file under construction.
#[derive(Clone, Debug)]
pub(crate) struct TestElf {
    pub(crate) machine: u16,
    pub(crate) kind: u16,
    pub(crate) entry: u64,
    pub(crate) segments: Vec<TestSegment>,
    /// Name, address, size.
    pub(crate) symbols: Vec<(&'static str, u64, u64)>,
    /// Branches on static keys: site, target, key.
    pub(crate) key_sites: Vec<[u64; 3]>,
    /// Whether it has fallback branches.
    pub(crate) reads_keys: bool,
    /// Symbols that are functions.
    pub(crate) functions: Vec<&'static str>,
    /// The build id, if it has one.
    pub(crate) build_id: Option<&'static [u8]>,
    /// Whether it has neither symbols nor sections that are not loaded.
    pub(crate) is_stripped: bool,
}

/// A loadable segment.
#[derive(Clone, Debug)]
pub(crate) struct TestSegment {
    pub(crate) flags: u32,
    pub(crate) vaddr: u64,
    pub(crate) data: Vec<u8>,
    pub(crate) memory_bytes: u64,
}

impl TestElf {
    /// An empty AArch64 executable.
    pub(crate) fn new(entry: u64) -> Self {
        let (machine, kind) = (elf::EM_AARCH64, elf::ET_EXEC);
        Self {
            machine,
            kind,
            entry,
            segments: Vec::new(),
            symbols: Vec::new(),
            key_sites: Vec::new(),
            reads_keys: false,
            functions: Vec::new(),
            build_id: None,
            is_stripped: false,
        }
    }

    /// A program linked with libmicrokit: text at 0x200000, data with the library's variables at 0x201000, one page
    /// of zeroed data.
    pub(crate) fn program() -> Self {
        let mut data = [0xdd; 0x100];
        data[0x68..0x70].copy_from_slice(&1u64.to_le_bytes());
        Self::new(0x20_0000)
            .segment(elf::PF_R | elf::PF_X, 0x20_0000, b"text", 4)
            .segment(elf::PF_R | elf::PF_W, 0x20_1000, &data, 0x1100)
            .symbol("microkit_name", 0x20_1000, 64)
            .symbol("microkit_passive", 0x20_1040, 1)
            .symbol("microkit_irqs", 0x20_1048, 8)
            .symbol("microkit_notifications", 0x20_1050, 8)
            .symbol("microkit_pps", 0x20_1058, 8)
            .symbol("microkit_ioports", 0x20_1060, 8)
            .symbol("word", 0x20_1068, 8)
            .symbol("zero_word", 0x20_2008, 8)
            .symbol("half_word", 0x20_1070, 4)
    }

    /// This many branches on the key `word` in sequence; each jumps two instructions forward.
    pub(crate) fn with_branches(mut self, count: u64) -> Self {
        const FORWARD: u32 = 0x1400_0002;
        if let Some(text) = self.segments.first_mut() {
            text.data = (0..count + 2).flat_map(|_| FORWARD.to_le_bytes()).collect();
            text.memory_bytes = text.data.len() as u64;
            // The data after the text keeps its address.
            text.vaddr = 0x20_1000 - text.memory_bytes.next_multiple_of(0x1000);
            let sites = (0..count).map(|index| text.vaddr + 4 * index);
            self.key_sites = sites.map(|site| [site, site + 8, 0x20_1068]).collect();
        }
        self
    }

    /// A monitor: tables in zeroed data.
    pub(crate) fn monitor() -> Self {
        Self::new(0x20_0000)
            .segment(elf::PF_R | elf::PF_X, 0x20_0000, b"monitor", 7)
            .segment(elf::PF_R | elf::PF_W, 0x20_1000, &[], 0x3000)
            .symbol("pd_names", 0x20_1000, 4096)
            .symbol("pd_names_len", 0x20_2000, 8)
            .symbol("pd_stack_bottom_addrs", 0x20_2008, 512)
            .symbol("stack_views", 0x20_2208, 6144)
    }

    /// A loader: position independent, with zeroed data in its last page.
    pub(crate) fn loader() -> Self {
        let loader = Self { kind: elf::ET_DYN, ..Self::new(0) };
        loader.segment(elf::PF_R | elf::PF_W | elf::PF_X, 0, b"loader", 0x2000)
    }

    /// A kernel: text, and data of one and a half pages followed by zeroed pages.
    pub(crate) fn kernel() -> Self {
        let base = 0xffff_ff80_0000_0000;
        Self::new(base).segment(elf::PF_R | elf::PF_W, base + 0x1000, &[0xaa; 0x1800], 0x4000).segment(
            elf::PF_R | elf::PF_X,
            base,
            b"kernel",
            6,
        )
    }

    pub(crate) fn segment(mut self, flags: u32, vaddr: u64, data: &[u8], memory_bytes: u64) -> Self {
        self.segments.push(TestSegment { flags, vaddr, data: data.to_vec(), memory_bytes });
        self
    }

    pub(crate) fn symbol(mut self, name: &'static str, vaddr: u64, bytes: u64) -> Self {
        self.symbols.push((name, vaddr, bytes));
        self
    }

    pub(crate) fn function(mut self, name: &'static str, vaddr: u64, bytes: u64) -> Self {
        self.functions.push(name);
        self.symbol(name, vaddr, bytes)
    }

    /// The file after `objcopy --strip-all`.
    pub(crate) fn stripped(mut self) -> Self {
        self.is_stripped = true;
        self
    }

    /// The sections: name, type, contents.
    fn sections(&self) -> Vec<(&'static [u8], u32, Vec<u8>)> {
        let note = self.build_id.map(|id| {
            let words = [4, id.len() as u32, elf::NT_GNU_BUILD_ID];
            let words = words.into_iter().flat_map(u32::to_le_bytes);
            words.chain(*b"GNU\0").chain(id.iter().copied()).collect()
        });
        let note = note.map(|note| (&b".note.gnu.build-id"[..], elf::SHT_NOTE, note));
        if self.is_stripped {
            return note.into_iter().collect();
        }
        let rows = self.key_sites.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        // The contents of the second one are arbitrary.
        let words = vec![0; usize::from(self.reads_keys)];
        let tables = [(&b"limen_key_sites"[..], rows), (b"limen_key_words", words)];
        let tables = tables.into_iter().map(|(name, contents)| (name, elf::SHT_PROGBITS, contents));
        tables.chain(note).collect()
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = Writer::new(object::Endianness::Little, true, &mut file);
        let symbols = if self.is_stripped { &[] } else { &self.symbols[..] };
        let names: Vec<_> = symbols.iter().map(|(name, ..)| writer.add_string(name.as_bytes())).collect();
        let sections = self.sections();
        writer.reserve_file_header();
        writer.reserve_program_headers(self.segments.len() as u32);
        let offsets: Vec<_> = self.segments.iter().map(|s| writer.reserve(s.data.len(), 1)).collect();
        let places = sections.iter().map(|(.., contents)| writer.reserve(contents.len(), 1));
        let places: Vec<_> = places.collect();
        writer.reserve_null_section_index();
        let section_names: Vec<_> = sections.iter().map(|(name, ..)| writer.add_section_name(name)).collect();
        for _ in &sections {
            writer.reserve_section_index();
        }
        writer.reserve_null_symbol_index();
        for _ in &names {
            writer.reserve_symbol_index(None);
        }
        writer.reserve_symtab_section_index();
        writer.reserve_symtab();
        writer.reserve_strtab_section_index();
        writer.reserve_strtab();
        writer.reserve_shstrtab_section_index();
        writer.reserve_shstrtab();
        writer.reserve_section_headers();

        let header = FileHeader {
            os_abi: elf::ELFOSABI_NONE,
            abi_version: 0,
            e_type: self.kind,
            e_machine: self.machine,
            e_entry: self.entry,
            e_flags: 0,
        };
        writer.write_file_header(&header).unwrap();
        writer.write_align_program_headers();
        for (segment, &offset) in self.segments.iter().zip(&offsets) {
            writer.write_program_header(&ProgramHeader {
                p_type: elf::PT_LOAD,
                p_flags: segment.flags,
                p_offset: offset as u64,
                p_vaddr: segment.vaddr,
                p_paddr: segment.vaddr,
                p_filesz: segment.data.len() as u64,
                p_memsz: segment.memory_bytes,
                p_align: 1,
            });
        }
        for segment in &self.segments {
            writer.write(&segment.data);
        }
        for (.., contents) in &sections {
            writer.write(contents);
        }
        writer.write_null_symbol();
        for (name, (symbol, vaddr, bytes)) in names.iter().zip(symbols) {
            let kind = if self.functions.contains(symbol) { elf::STT_FUNC } else { elf::STT_OBJECT };
            writer.write_symbol(&Sym {
                name: Some(*name),
                section: None,
                st_info: elf::STB_GLOBAL << 4 | kind,
                st_other: 0,
                st_shndx: elf::SHN_ABS,
                st_value: *vaddr,
                st_size: *bytes,
            });
        }
        writer.write_strtab();
        writer.write_shstrtab();
        writer.write_null_section_header();
        for (name, ((_, sh_type, contents), place)) in section_names.iter().zip(sections.iter().zip(places)) {
            writer.write_section_header(&SectionHeader {
                name: Some(*name),
                sh_type: *sh_type,
                sh_flags: 0,
                sh_addr: 0,
                sh_offset: place as u64,
                sh_size: contents.len() as u64,
                sh_link: 0,
                sh_info: 0,
                sh_addralign: 1,
                sh_entsize: 0,
            });
        }
        writer.write_symtab_section_header(1);
        writer.write_strtab_section_header();
        writer.write_shstrtab_section_header();
        file
    }
}
