//! A program: an executable, split into [segments](crate::segment) of pages that the builder can still patch.

use std::path::{Path, PathBuf};

use crate::code;
use crate::elf::{ElfFile, Symbol, SymbolKind, Symbols};
use crate::error::{Context, error};
use crate::files::{self, FILE_BYTES, did_you_mean, find};
use crate::segment::{Segment, page_of};
use crate::symbol_file;
use crate::system_file;
use limen_abi::limits::PAGE_BYTES;
use limen_image::MappingFlags;
use limen_sdf::model::ProtectionDomain;
use limen_sdf::{Architecture, Diagnostic, Span, Target};

/// Name of the monitor in messages and reports.
const MONITOR: &str = "monitor";
const PAGE: usize = PAGE_BYTES as usize;
/// The place at which a program expects its IPC buffer, if that is not the highest page.
const OWN_BUFFER: &str = "__sel4_ipc_buffer_obj";
/// A variable of our library, which has the highest page built in and ignores that symbol.
const OUR_LIBRARY: &str = "microkit_have_signal";

/// A program for one address space.
#[derive(Clone, Debug)]
pub struct Program {
    /// Protection domain, or `monitor`.
    pub name: String,
    /// File of its segments.
    pub path: PathBuf,
    /// File of its symbols.
    pub symbols_path: PathBuf,
    /// The element that names it; `None` for the monitor.
    pub span: Option<Span>,
    /// Initial program counter.
    pub entry: u64,
    /// Parts of its address space, ascending; no two share a page.
    pub segments: Vec<Segment>,
    /// Symbols.
    pub symbols: Symbols,
    /// The section that lists its branches on static keys.
    pub key_sites: Vec<u8>,
    /// Whether it has fallback branches on static keys, which load their keys.
    pub reads_keys: bool,
}

impl Program {
    /// Finds and reads the program of a protection domain.
    ///
    /// # Errors
    /// A file is missing, or is not a loadable executable.
    pub fn load(
        domain: &ProtectionDomain,
        search_paths: &[PathBuf],
        architecture: Architecture,
    ) -> Result<Self, Diagnostic> {
        let image = &domain.program_image;
        let missing = |what: &str, path: &str| {
            let help = match did_you_mean(path, search_paths) {
                Some(question) => {
                    format!("{question} If not, build the program, or add its directory with --search-path.")
                }
                None => "Build the program, or add its directory with --search-path.".to_owned(),
            };
            error(code::PROGRAM_IMAGE_NOT_FOUND, format!("Error: unable to find {what}: '{path}'"))
                .at(&image.span)
                .help(help)
        };
        let name = &domain.name;
        let path = find(&image.path, search_paths).ok_or_else(|| missing("program image", &image.path))?;
        let elf = read_elf(name, &path, architecture).map_err(|e| e.at(&image.span))?;
        let (elf, symbols_path) = match &image.path_for_symbols {
            None => (elf, path.clone()),
            Some(wanted) => {
                let symbols_path =
                    find(wanted, search_paths).ok_or_else(|| missing("program image for symbols", wanted))?;
                let symbols = read_elf(name, &symbols_path, architecture).map_err(|e| e.at(&image.span))?;
                let refused = |reason: String| apart(name, &path, &symbols_path, &reason).at(&image.span);
                (symbol_file::join(elf, symbols).map_err(refused)?, symbols_path)
            }
        };
        let program = Self::from_elf(name, &path, elf);
        let program = program.map_err(|reason| unusable(name, &path, &reason).at(&image.span))?;
        Ok(Self { span: Some(image.span.clone()), symbols_path, ..program })
    }

    /// Reads the monitor.
    ///
    /// # Errors
    /// The file is missing, or is not a loadable executable.
    pub fn load_monitor(path: &Path, architecture: Architecture) -> Result<Self, Diagnostic> {
        system_file::read(path, architecture, MONITOR, |elf| Self::from_elf(MONITOR, path, elf))
    }

    /// The variable with this name.
    ///
    /// # Errors
    /// No symbol or several symbols have the name, or it is no variable.
    pub(crate) fn variable(&self, name: &str) -> Result<Symbol, String> {
        let symbol = self.symbols.unique(name)?;
        let segment = self.segment_with(symbol.vaddr, symbol.bytes.max(1));
        let segment = segment.and_then(|index| self.segments.get(index));
        let is_in_code = segment.is_some_and(|segment| segment.flags & MappingFlags::EXECUTE != 0);
        match symbol.kind {
            SymbolKind::Object => Ok(symbol),
            SymbolKind::Untyped if !is_in_code => Ok(symbol),
            SymbolKind::Untyped => Err("it is a label in code, not a variable".to_owned()),
            SymbolKind::Function => Err("it is a function, not a variable".to_owned()),
            SymbolKind::Other => Err("it is no variable of the whole program".to_owned()),
        }
    }

    /// The place of the IPC buffer in a program that is not linked with our library and chooses one.
    pub(crate) fn own_ipc_buffer(&self) -> Option<u64> {
        let symbol = self.symbols.unique(OWN_BUFFER).ok()?;
        (!self.symbols.contains(OUR_LIBRARY)).then_some(symbol.vaddr)
    }

    /// The address of the program's IPC buffer.
    #[must_use]
    pub fn ipc_buffer(&self, target: &Target) -> u64 {
        self.own_ipc_buffer().unwrap_or(target.ipc_buffer_vaddr())
    }

    /// Index of the segment that contains the whole range.
    pub(crate) fn segment_with(&self, vaddr: u64, bytes: u64) -> Option<usize> {
        let end = vaddr.checked_add(bytes)?;
        let first = self.segments.partition_point(|segment| segment.end <= vaddr);
        let segment = self.segments.get(first)?;
        (segment.start <= vaddr && end <= segment.end).then_some(first)
    }

    /// The pages with contents in a range of addresses.
    pub(crate) fn contents(&self, vaddr: u64, bytes: u64) -> impl Iterator<Item = &[u8; PAGE]> {
        let first = self.segments.partition_point(|segment| segment.end <= vaddr);
        let segments = self.segments.iter().skip(first);
        let segments = segments.take_while(move |segment| segment.start < vaddr + bytes);
        segments.flat_map(move |segment| segment.contents(vaddr, bytes))
    }

    /// Converts an executable into a program.
    ///
    /// # Errors
    /// Why it cannot be loaded.
    pub fn from_elf(name: &str, path: &Path, elf: ElfFile) -> Result<Self, String> {
        if !elf.is_fixed {
            return Err("it is position independent".to_owned());
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
            span: None,
            entry: elf.entry,
            segments,
            symbols: elf.symbols,
            key_sites: elf.key_sites.unwrap_or_default(),
            reads_keys: elf.reads_keys.unwrap_or(false),
        })
    }
}

fn read_elf(name: &str, path: &Path, architecture: Architecture) -> Result<ElfFile, Diagnostic> {
    let data = files::read(path, FILE_BYTES).map_err(|e| unusable(name, path, &e.to_string()))?;
    ElfFile::parse(&data, architecture).map_err(|reason| unusable(name, path, &reason))
}

fn apart(name: &str, path: &Path, symbols: &Path, reason: &str) -> Diagnostic {
    let (path, symbols) = (path.display(), symbols.display());
    let message =
        format!("ERROR: '{symbols}' is not the file with the symbols of '{path}' for PD '{name}': {reason}");
    error(code::PROGRAM_SYMBOLS, message).help(
        "Build once, then strip a copy: the program image and the file with its symbols come from one run of the linker.",
    )
}

fn unusable(name: &str, path: &Path, reason: &str) -> Diagnostic {
    let path = path.display();
    error(code::PROGRAM_ELF, format!("ERROR: failed to parse ELF '{path}' for PD '{name}': {reason}")).help(
        "A program is a 64-bit executable for this board, linked with -lmicrokit -Tmicrokit.ld of this SDK.",
    )
}
