//! A program's ELF file: its code, symbols, source lines, and the rules that find the caller of a function.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::rc::Rc;

use addr2line::Context;
use flate2::read::ZlibDecoder;
use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EhFrame, EndianRcSlice, LittleEndian, Register, RegisterRule,
};
use gimli::{Section as _, SectionId, UnwindContext, UnwindSection};
use object::{CompressionFormat, Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use ruzstd::decoding::StreamingDecoder;

use crate::machine::Machine;

type Reader = EndianRcSlice<LittleEndian>;

/// The largest section that is decompressed.
const MOST_BYTES: u64 = 1 << 30;
/// The largest number of functions that are inlined in each other at one address.
const MOST_INLINED: usize = 32;

/// A program file.
pub struct ProgramFile {
    /// Name without folders.
    pub name: String,
    /// Executable segments: first address and contents.
    code: Vec<(u64, Vec<u8>)>,
    /// Functions by address: address, size and name.
    functions: Vec<(u64, u64, String)>,
    lines: Option<Context<Reader>>,
    debug_frame: DebugFrame<Reader>,
    eh_frame: EhFrame<Reader>,
    bases: BaseAddresses,
    /// Whether it has debugging information that cannot be decompressed.
    is_compressed: bool,
}

impl fmt::Debug for ProgramFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramFile").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A function at an address. Of several, each is inlined into the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Function as in the source; with an offset, if it is only known from a symbol.
    pub function: Option<String>,
    /// File and line.
    pub line: Option<(String, u32)>,
    /// Whether the source is a library's: the SDK's, or the compiler's. So is code that calls entry points.
    pub is_library: bool,
}

/// The registers that identify a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Program counter.
    pub pc: u64,
    /// Stack pointer.
    pub sp: u64,
    /// Frame pointer.
    pub fp: Option<u64>,
    /// The register with the return address.
    pub link: Option<u64>,
}

impl ProgramFile {
    /// Reads a 64-bit ELF file; `None` if it is none.
    #[must_use]
    pub fn parse(name: &str, bytes: &[u8]) -> Option<Self> {
        let file = object::File::parse(bytes).ok().filter(|file| file.is_64() && file.is_little_endian())?;
        let mut is_compressed = false;
        let mut section = |id: SectionId| -> Result<Reader, gimli::Error> {
            let section = file.section_by_name(id.name());
            let data = section.as_ref().map(contents);
            is_compressed |= data == Some(None);
            Ok(EndianRcSlice::new(Rc::from(data.flatten().unwrap_or_default()), LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(&mut section).ok();
        let address = |name| file.section_by_name(name).map_or(0, |section| section.address());
        let mut debug_frame = DebugFrame::load(&mut section).ok()?;
        debug_frame.set_address_size(8);
        let mut eh_frame = EhFrame::load(&mut section).ok()?;
        eh_frame.set_address_size(8);
        let is_code = |segment: &object::Segment<'_, '_>| match segment.flags() {
            object::SegmentFlags::Elf { p_flags } => p_flags & object::elf::PF_X != 0,
            _ => false,
        };
        let code = file.segments().filter(is_code);
        Some(Self {
            name: name.to_owned(),
            code: code
                .filter_map(|segment| Some((segment.address(), segment.data().ok()?.to_vec())))
                .collect(),
            functions: functions(&file),
            lines: dwarf.and_then(|dwarf| Context::from_dwarf(dwarf).ok()),
            debug_frame,
            eh_frame,
            bases: BaseAddresses::default().set_eh_frame(address(".eh_frame")).set_text(address(".text")),
            is_compressed,
        })
    }

    /// Whether the file has symbols and debugging information only, as `objcopy --only-keep-debug` leaves them.
    #[must_use]
    pub fn lacks_code(&self) -> bool {
        self.code.iter().all(|(_, code)| code.is_empty())
    }

    /// Whether its debugging information is compressed in a way that cannot be read.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// The same file with the code of the image that it belongs to, and that image's rules for callers.
    #[must_use]
    pub fn with_code_of(self, image: Self) -> Self {
        let Self { code, eh_frame, bases, .. } = image;
        Self { code, eh_frame, bases, ..self }
    }

    /// Whether an address is in the program's code.
    #[must_use]
    pub fn is_code(&self, address: u64) -> bool {
        self.code_from(address).is_some()
    }

    /// Whether the program has these bytes of code at an address.
    #[must_use]
    pub fn has_code(&self, address: u64, bytes: &[u8]) -> bool {
        self.code_from(address).is_some_and(|code| code.starts_with(bytes))
    }

    /// Whether a call instruction ends at an address.
    #[must_use]
    pub fn is_return_address(&self, machine: &Machine, address: u64) -> bool {
        self.code_before(address).is_some_and(|code| (machine.ends_with_call)(code))
    }

    /// The function that was called at a return address, if the call names it.
    #[must_use]
    pub fn callee(&self, machine: &Machine, address: u64) -> Option<u64> {
        let distance = (machine.call_distance)(self.code_before(address)?)?;
        address.checked_add_signed(distance)
    }

    /// Up to eight bytes of code that end at an address.
    fn code_before(&self, address: u64) -> Option<&[u8]> {
        self.code.iter().find_map(|(start, bytes)| {
            let length = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(length.saturating_sub(8)..length)
        })
    }

    fn code_from(&self, address: u64) -> Option<&[u8]> {
        self.code.iter().find_map(|(start, bytes)| {
            let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(offset..).filter(|rest| !rest.is_empty())
        })
    }

    /// The function at an address, preceded by the functions that are inlined there. Empty if nothing is known.
    ///
    /// Compilers leave some instructions of a function without a line: those have the line before them.
    #[must_use]
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let mut frames = self.frames_in_source(address);
        if let Some(frame) = frames.first_mut().filter(|frame| frame.line.is_none()) {
            frame.line = self.line_before(address, frame.function.as_deref());
        }
        if frames.iter().all(|frame| frame.function.is_none()) {
            let line = frames.pop().and_then(|frame| frame.line);
            let function = self.symbol(address, line.is_none());
            frames = Vec::from([Frame { function, line, is_library: false }]);
        }
        for frame in &mut frames {
            frame.is_library |= frame.function.as_deref().is_some_and(calls_entry_points);
        }
        frames.retain(|frame| *frame != Frame::default());
        frames
    }

    fn frames_in_source(&self, address: u64) -> Vec<Frame> {
        let Some(Ok(mut found)) =
            self.lines.as_ref().map(|lines| lines.find_frames(address).skip_all_loads())
        else {
            return Vec::new();
        };
        let mut frames = Vec::new();
        while let (true, Ok(Some(frame))) = (frames.len() < MOST_INLINED, found.next()) {
            let function = frame.function.and_then(|name| Some(plain(&name.demangle().ok()?)));
            let is_library = frame.location.as_ref().and_then(|place| place.file).is_some_and(is_of_library);
            let line = frame.location.and_then(|place| Some((short(place.file?), place.line?)));
            frames.push(Frame { function, line, is_library });
        }
        frames
    }

    /// The last line of a function before an address.
    fn line_before(&self, address: u64, function: Option<&str>) -> Option<(String, u32)> {
        let start = self.symbol_at(address)?.0;
        let rows = self.lines.as_ref()?.find_location_range(start, address).ok()?;
        let earlier = rows.filter(|(row, _, place)| *row < address && place.line.is_some());
        let mut earlier: Vec<_> = earlier.map(|(row, ..)| row).collect();
        earlier.sort_unstable();
        earlier.into_iter().rev().find_map(|row| {
            let frame = self.frames_in_source(row).into_iter().next()?;
            (frame.function.as_deref() == function).then_some(frame.line).flatten()
        })
    }

    /// The ranges of code with their source: first address, number of bytes, path and line. Code of inlined functions has
    /// the lines of those.
    #[must_use]
    pub fn lines(&self) -> Vec<(u64, u64, String, u32)> {
        let Some(lines) = &self.lines else { return Vec::new() };
        let found = lines.find_location_range(0, u64::MAX).into_iter().flatten();
        let line = |(start, size, place): (u64, u64, addr2line::Location<'_>)| {
            Some((start, size, place.file?.to_owned(), place.line?))
        };
        found.filter_map(line).collect()
    }

    /// The name of the function of the symbol table that contains an address; with the offset in it.
    fn symbol(&self, address: u64, with_offset: bool) -> Option<String> {
        let (start, _, name) = self.symbol_at(address)?;
        Some(if with_offset { format!("{name}+{:#x}", address - start) } else { name.clone() })
    }

    /// The function of the symbol table that contains an address.
    fn symbol_at(&self, address: u64) -> Option<&(u64, u64, String)> {
        let above = self.functions.partition_point(|(start, ..)| *start <= address);
        // Functions in assembly often have no size.
        let contains = |(start, size, _): &&(u64, u64, String)| *size == 0 || address - start < *size;
        self.functions.get(above.checked_sub(1)?).filter(contains).filter(|_| self.is_code(address))
    }

    /// The addresses of the functions of the symbol table, ascending.
    pub fn function_addresses(&self) -> impl Iterator<Item = u64> {
        self.functions.iter().map(|(start, ..)| *start)
    }

    /// Whether there are symbols.
    #[must_use]
    pub fn has_symbols(&self) -> bool {
        !self.functions.is_empty()
    }

    /// The registers of the caller, by the rules of the compiler for this address. `read` reads a word of the stack.
    #[must_use]
    pub fn caller(
        &self,
        machine: &Machine,
        registers: &Registers,
        address: u64,
        read: &dyn Fn(u64) -> Option<u64>,
    ) -> Option<Registers> {
        let debug = row(&self.debug_frame, &self.bases, address, machine);
        let rules = debug.or_else(|| row(&self.eh_frame, &self.bases, address, machine))?;
        let base = if rules.base == machine.sp { registers.sp } else { registers.fp? };
        let frame = base.checked_add_signed(rules.offset)?;
        let saved = |rule: &RegisterRule<usize>, unchanged: Option<u64>| match rule {
            RegisterRule::Undefined | RegisterRule::SameValue => unchanged,
            RegisterRule::Offset(offset) => read(frame.checked_add_signed(*offset)?),
            _ => None,
        };
        let pc = saved(&rules.link, registers.link)?;
        Some(Registers { pc, sp: frame, fp: saved(&rules.fp, registers.fp), link: None })
    }
}

/// The contents of a section, decompressed; `None` if they cannot be.
fn contents<'d>(section: &object::Section<'d, '_>) -> Option<Cow<'d, [u8]>> {
    let compressed = section.compressed_data().ok()?;
    if compressed.format == CompressionFormat::None {
        return Some(Cow::Borrowed(compressed.data));
    }
    let size = usize::try_from(compressed.uncompressed_size.min(MOST_BYTES)).ok()?;
    let mut whole = Vec::new();
    // Reads one byte more than there may be.
    let most = size as u64 + 1;
    match compressed.format {
        CompressionFormat::Zlib => {
            ZlibDecoder::new(compressed.data).take(most).read_to_end(&mut whole).ok()?
        }
        CompressionFormat::Zstandard => {
            StreamingDecoder::new(compressed.data).ok()?.take(most).read_to_end(&mut whole).ok()?
        }
        _ => return None,
    };
    (whole.len() == size).then_some(Cow::Owned(whole))
}

/// The rules for one address.
struct Rules {
    base: u16,
    offset: i64,
    link: RegisterRule<usize>,
    fp: RegisterRule<usize>,
}

fn row<S>(section: &S, bases: &BaseAddresses, address: u64, machine: &Machine) -> Option<Rules>
where
    S: UnwindSection<Reader>,
{
    let mut context = UnwindContext::new();
    let row = section.unwind_info_for_address(bases, &mut context, address, S::cie_from_offset).ok()?;
    let CfaRule::RegisterAndOffset { register: Register(base), offset } = *row.cfa() else { return None };
    let is_known = base == machine.sp || base == machine.fp;
    let rule = |register| row.register(Register(register));
    is_known.then(|| Rules { base, offset, link: rule(machine.link), fp: rule(machine.fp) })
}

fn functions(file: &object::File<'_>) -> Vec<(u64, u64, String)> {
    let is_function = |symbol: &object::Symbol<'_, '_>| {
        let is_label = symbol.kind() == SymbolKind::Label || symbol.kind() == SymbolKind::Unknown;
        let name = symbol.name().unwrap_or("$");
        // Mapping symbols and labels of the assembler.
        (symbol.kind() == SymbolKind::Text || is_label) && !name.is_empty() && !name.starts_with(['$', '.'])
    };
    let symbols = file.symbols().filter(is_function);
    let function = |symbol: object::Symbol<'_, '_>| {
        let name = addr2line::demangle_auto(symbol.name().ok()?.into(), None);
        Some((symbol.address(), symbol.size(), plain(&name)))
    };
    let mut functions: Vec<_> = symbols.filter_map(function).collect();
    // Of several names, the one with a size; otherwise the same one in every build.
    functions.sort_by_cached_key(|(start, size, name)| (*start, *size != 0, name.clone()));
    functions
}

/// A function without parameters of C++ and without the hash of Rust.
fn plain(name: &str) -> String {
    let name = match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => path,
        _ => name,
    };
    let end = if name.starts_with(['<', '(']) { None } else { parameters(name) };
    let end = end.filter(|end| *end > 0 && !name.ends_with("operator"));
    sanitised(&name[..end.unwrap_or(name.len())])
}

/// The start of a function's parameters. Those of function types are among the arguments of generic functions.
fn parameters(name: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = ' ';
    name.char_indices().find_map(|(index, character)| {
        match character {
            '<' => depth += 1,
            '>' if previous != '-' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => return Some(index),
            _ => {}
        }
        previous = character;
        None
    })
}

/// Whether a source belongs to the SDK or to the compiler. Headers are in the SDK; the rest was compiled with paths that
/// do not depend on the machine.
fn is_of_library(path: &str) -> bool {
    const HEADERS: [&str; 3] = ["/include/microkit.h", "/include/limen/", "/include/sel4/"];
    path.starts_with("/usr/src/limen/user/")
        || path.starts_with("/rustc/")
        || path.contains("/lib/rustlib/src/rust/")
        || HEADERS.iter().any(|header| path.contains(header))
        || ["/rust/limen/src/", "/user/limen/src/", "/libmicrokitco/src/"]
            .iter()
            .any(|part| path.contains(part))
}

/// Whether a function calls the entry points of a program or a cothread. Assembly without lines has offsets.
fn calls_entry_points(function: &str) -> bool {
    let name = function.split('+').next().unwrap_or(function);
    ["_start", "limen_main", "limen_co_start"].contains(&name)
}

/// The last part of a path; of names that every crate has, the last two.
fn short(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or(path);
    let folder = parts.find(|part| *part != "src" && *part != ".");
    match folder {
        Some(folder) if ["mod.rs", "lib.rs", "main.rs"].contains(&last) => {
            sanitised(&format!("{folder}/{last}"))
        }
        _ => sanitised(last),
    }
}

/// Text of a file for a terminal: without control characters, and not endless.
fn sanitised(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(plain("ring::Ring<4>::push(int, char)"), "ring::Ring<4>::push");
        assert_eq!(plain("limen::region::Region::word::h0123456789abcdef"), "limen::region::Region::word");
        assert_eq!(
            plain("<limen::Channel as core::fmt::Debug>::fmt"),
            "<limen::Channel as core::fmt::Debug>::fmt"
        );
        assert_eq!(plain("call_once<fn() -> Culprit, (u8)>(Culprit)"), "call_once<fn() -> Culprit, (u8)>");
        assert_eq!(plain("main"), "main");
    }

    #[test]
    fn paths_are_shortened_to_what_tells_them_apart() {
        assert_eq!(short("/home/a/project/parser.c"), "parser.c");
        assert_eq!(short("driver/src/main.rs"), "driver/main.rs");
        assert_eq!(short("main.rs"), "main.rs");
    }

    #[test]
    fn anything_but_a_program_is_refused() {
        for bytes in [&b""[..], b"\x7fELF", b"text", &[0; 4096]] {
            assert!(ProgramFile::parse("x", bytes).is_none());
        }
    }
}
