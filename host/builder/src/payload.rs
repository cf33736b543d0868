//! The output file: loader, plan, boot image and kernel, as in memory.
//!
//! ```text
//! loader_address                                                            file ends               reserved ends
//! | loader | pad | LoaderPlan | boot image: tables | contents | kernel segments | pad | kernel's zero pages |
//! ```
//!
//! Every part is page-aligned. The kernel's zero pages are not in the file; the kernel clears them. They are aligned so that
//! large pages map them.

use limen_abi::limits::{LARGE_PAGE_BYTES, PAGE_BYTES};
use limen_image::Range;
use limen_image::loader::{KernelSegment, LoaderPlan, MAGIC, MAX_RAM, MAX_SEGMENTS, Ram};
use limen_sdf::{Architecture, Diagnostic};
use object::elf;
use object::write::elf::{FileHeader, ProgramHeader, Writer};

use crate::board::Board;
use crate::code;
use crate::elf::ElfSegment;
use crate::error::{Context, error};
use crate::memory::Taken;
use crate::system_file::{Kernel, Loader};

/// Physical addresses of the parts of the output file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// First address.
    pub start: u64,
    /// The plan of the loader.
    pub plan_paddr: u64,
    /// The boot image.
    pub image_paddr: u64,
    /// The boot image's page contents.
    pub contents_paddr: u64,
    /// End of the boot image, exclusive.
    pub image_end: u64,
    /// The kernel's segments, in their order.
    pub kernel_paddrs: Vec<u64>,
    /// The kernel's zero pages; nothing after this address is in the file.
    pub zero_paddr: u64,
    /// End of the last part, exclusive.
    pub end: u64,
}

impl Layout {
    /// Places the parts in sequence.
    ///
    /// # Errors
    /// They do not fit in the RAM at the loader's address.
    pub fn new(
        board: &Board,
        loader: Option<&Loader>,
        kernel: &Kernel,
        tables_bytes: u64,
        contents_bytes: u64,
    ) -> Result<Self, Diagnostic> {
        let start = board.loader_address;
        let plan_paddr = start + loader.map_or(0, |loader| pages(loader.bytes.len() as u64));
        let image_paddr = plan_paddr + loader.map_or(0, |_| PAGE_BYTES);
        let contents_paddr = image_paddr + pages(tables_bytes);
        let image_end = contents_paddr + contents_bytes;
        let mut zero_paddr = image_end;
        let mut end = image_end;
        let mut kernel_paddrs = Vec::new();
        // Without Limen's loader, the kernel is a separate file.
        for segment in kernel.segments.iter().filter(|_| loader.is_some()) {
            let paddr = zero_paddr.next_multiple_of(alignment(segment));
            kernel_paddrs.push(paddr);
            zero_paddr += pages(segment.data.len() as u64);
            end = paddr.saturating_add(pages(segment.memory_bytes));
        }
        let ram_end = board.ram.iter().find(|ram| ram.start <= start && start < ram.end).map_or(0, |r| r.end);
        if end > ram_end {
            let message = format!(
                "ERROR: loader, boot image and kernel need [0x{start:x}..0x{end:x}), but RAM ends at 0x{ram_end:x}"
            );
            return Err(error(code::IMAGE_TOO_LARGE, message)
                .help("Programs are part of the image; make them smaller, or remove some."));
        }
        Ok(Self { start, plan_paddr, image_paddr, contents_paddr, image_end, kernel_paddrs, zero_paddr, end })
    }

    /// Bytes of the boot image.
    #[must_use]
    pub fn image_bytes(&self) -> u64 {
        self.image_end - self.image_paddr
    }

    /// The memory in use, for the memory plan.
    #[must_use]
    pub fn taken(&self) -> Taken {
        Taken { reserved: Range { start: self.start, end: self.end }, contents_paddr: self.contents_paddr }
    }

    /// The plan for the loader.
    #[must_use]
    pub fn loader_plan(&self, board: &Board, kernel: &Kernel) -> LoaderPlan {
        let mut segments = [KernelSegment::default(); MAX_SEGMENTS];
        for ((to, from), &paddr) in segments.iter_mut().zip(&kernel.segments).zip(&self.kernel_paddrs) {
            let (bytes, flags) = (pages(from.memory_bytes), u64::from(from.flags));
            *to = KernelSegment { vaddr: from.vaddr, paddr, bytes, flags };
        }
        let mut ram = [Ram::default(); MAX_RAM];
        for (to, from) in ram.iter_mut().zip(&board.ram) {
            *to = Ram { start: from.start, end: from.end };
        }
        LoaderPlan {
            magic: MAGIC,
            kernel_entry: kernel.entry,
            image_paddr: self.image_paddr,
            serial_kind: board.serial.kind as u64,
            serial_paddr: board.serial.paddr,
            ram,
            segments,
        }
    }

    /// The memory contents from the loader's address on.
    #[must_use]
    pub fn flat(&self, board: &Board, loader: &Loader, image: &[u8], kernel: &Kernel) -> Vec<u8> {
        let plan = self.loader_plan(board, kernel).to_words();
        let plan: Vec<u8> = plan.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut flat = vec![0; (self.zero_paddr - self.start) as usize];
        let mut put = |paddr: u64, bytes: &[u8]| {
            let offset = (paddr - self.start) as usize;
            flat[offset..offset + bytes.len()].copy_from_slice(bytes);
        };
        put(self.start, &loader.bytes);
        put(self.plan_paddr, &plan);
        put(self.image_paddr, image);
        let in_file = |(segment, _): &(&ElfSegment, &u64)| !segment.data.is_empty();
        for (segment, &paddr) in kernel.segments.iter().zip(&self.kernel_paddrs).filter(in_file) {
            put(paddr, &segment.data);
        }
        flat
    }
}

/// The flat image as an ELF file with one segment; the entry point is its first byte. It starts one page into the
/// file.
///
/// # Errors
/// The file would exceed the memory of the machine that runs the tool.
pub fn wrap_in_elf(flat: &[u8], address: u64, architecture: Architecture) -> Result<Vec<u8>, Diagnostic> {
    let failed = |e: object::write::Error| {
        error(code::ELF_OUTPUT, format!("Error: cannot write the ELF image: {e}"))
            .help("Choose another --image-type.")
    };
    let mut file = Vec::new();
    let mut writer = Writer::new(object::Endianness::Little, true, &mut file);
    writer.reserve_file_header();
    writer.reserve_program_headers(1);
    let offset = writer.reserve(flat.len(), PAGE_BYTES as usize) as u64;
    let header = FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: crate::elf::machine(architecture).0,
        e_entry: address,
        e_flags: 0,
    };
    writer.write_file_header(&header).map_err(failed)?;
    writer.write_align_program_headers();
    writer.write_program_header(&ProgramHeader {
        p_type: elf::PT_LOAD,
        p_flags: elf::PF_R | elf::PF_W | elf::PF_X,
        p_offset: offset,
        p_vaddr: address,
        p_paddr: address,
        p_filesz: flat.len() as u64,
        p_memsz: flat.len() as u64,
        p_align: PAGE_BYTES,
    });
    writer.write_align(PAGE_BYTES as usize);
    writer.write(flat);
    Ok(file)
}

/// The alignment of a segment's physical address: that of large pages if they can map it and it is not in the file.
fn alignment(segment: &ElfSegment) -> u64 {
    let is_large = segment.data.is_empty()
        && segment.vaddr.is_multiple_of(LARGE_PAGE_BYTES)
        && segment.memory_bytes >= LARGE_PAGE_BYTES;
    if is_large { LARGE_PAGE_BYTES } else { PAGE_BYTES }
}

fn pages(bytes: u64) -> u64 {
    bytes.next_multiple_of(PAGE_BYTES)
}
