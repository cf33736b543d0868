//! Program symbols that receive values: names and channel masks for libmicrokit, tables for the monitor, and the
//! `setvar` attributes of the description.
//!
//! Symbols are looked up before memory is planned, because a symbol in zeroed memory turns its page into contents.
//! Physical addresses are known only afterwards.

use limen_abi::limits::{NAME_BYTES, THREADS};
use limen_image::MappingFlags;
use limen_sdf::model::{self, ProtectionDomain, Ring, SystemDescription};
use limen_sdf::{Diagnostic, Span, Target};

use crate::code;
use crate::config::Config;
use crate::elf::Symbol;
use crate::error::{Context, error};
use crate::program::Program;
use crate::stack_views;

/// Bytes of a word, the size of every symbol that a description names.
const WORD_BYTES: u64 = 8;
/// The symbol with the name of a protection domain.
const NAME: &str = "microkit_name";

/// A value and its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    program: usize,
    segment: usize,
    vaddr: u64,
    value: Value,
    symbol: String,
    /// The element that sets the symbol; `None` if the tool does.
    span: Option<Span>,
}

/// The value of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Bytes(Vec<u8>),
    /// Physical address of a memory region.
    Paddr(usize),
}

impl Value {
    fn word(value: u64) -> Self {
        Self::Bytes(value.to_le_bytes().to_vec())
    }

    fn byte_count(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Paddr(_) => WORD_BYTES,
        }
    }

    /// Whether a variable that starts out as zero has it already.
    fn is_zero(&self) -> bool {
        matches!(self, Self::Bytes(bytes) if bytes.iter().all(|byte| *byte == 0))
    }

    /// The same in a shorter variable, if all that it leaves out is zero.
    fn shortened(self, count: u64) -> Option<Self> {
        let Self::Bytes(mut bytes) = self else { return None };
        let rest = bytes.split_off((count as usize).min(bytes.len()));
        rest.iter().all(|byte| *byte == 0).then_some(Self::Bytes(bytes))
    }
}

/// Finds all symbols that receive a value. The monitor is the last program.
///
/// # Errors
/// A symbol is missing, ambiguous, no variable, has the wrong size, or overlaps another one.
pub fn collect(
    system: &SystemDescription,
    programs: &[Program],
    config: &Config,
    target: &Target,
) -> Result<Vec<Patch>, Diagnostic> {
    let mut patches = Vec::new();
    for (index, (domain, program)) in system.protection_domains.iter().zip(programs).enumerate() {
        for (name, value) in library_values(system, index, domain) {
            // Libraries other than ours know fewer variables; what they do not know must not matter here.
            if !value.is_zero() || program.symbols.contains(name) {
                patches.push(library_patch(index, program, name, value)?);
            }
        }
        for (symbol, value) in description_values(system, index, domain) {
            patches.push(setvar_patch(index, program, symbol, value)?);
        }
    }
    let index = system.protection_domains.len();
    if let Some(monitor) = programs.get(index) {
        for (name, value) in monitor_values(system, target) {
            patches.push(library_patch(index, monitor, name, value)?);
        }
        if config.is_printing() {
            let views = stack_views::table(system, programs, target).into_iter().flat_map(u64::to_le_bytes);
            patches.push(library_patch(index, monitor, "stack_views", Value::Bytes(views.collect()))?);
        }
    }
    match overlap(&patches) {
        Some([first, second]) => Err(overlapping(&programs[first.program], first, second)),
        None => Ok(patches),
    }
}

/// Two patches of the same bytes; the later element of the description comes second.
fn overlap(patches: &[Patch]) -> Option<[&Patch; 2]> {
    let mut sorted: Vec<_> = patches.iter().collect();
    sorted.sort_by_key(|patch| (patch.program, patch.vaddr));
    let shares = |first: &Patch, second: &Patch| {
        first.program == second.program && second.vaddr - first.vaddr < first.value.byte_count()
    };
    let mut pairs = sorted.windows(2).map(|pair| [pair[0], pair[1]]);
    let place = |patch: &Patch| patch.span.as_ref().map(|span| (span.line, span.column));
    let [first, second] = pairs.find(|[first, second]| shares(first, second))?;
    Some(if place(first) > place(second) { [second, first] } else { [first, second] })
}

fn overlapping(program: &Program, first: &Patch, second: &Patch) -> Diagnostic {
    let (domain, path) = (&program.name, program.symbols_path.display());
    let (name, at) = (&second.symbol, first.vaddr.max(second.vaddr));
    let reason = match &first.span {
        Some(_) => format!("it shares memory at 0x{at:x} with '{}', which is set, too", first.symbol),
        None => format!("the tool sets the memory at 0x{at:x} in every program, as '{}'", first.symbol),
    };
    let message = format!(
        "ERROR: could not patch symbol '{name}' in program image for PD '{domain}' ({path}): {reason}"
    );
    let help = match &first.span {
        Some(span) => {
            format!("'{}' is set at {span}; give each its own variable, or remove one of them.", first.symbol)
        }
        None => "Set another variable.".to_owned(),
    };
    error(code::SYMBOL_OVERLAP, message).at(second.span.as_ref()).help(help)
}

/// Writes all values. `paddr` returns the physical address of a memory region.
pub fn apply(patches: &[Patch], programs: &mut [Program], paddr: impl Fn(usize) -> u64) {
    for patch in patches {
        let segment = &mut programs[patch.program].segments[patch.segment];
        match &patch.value {
            Value::Bytes(bytes) => segment.write(patch.vaddr, bytes),
            Value::Paddr(region) => segment.write(patch.vaddr, &paddr(*region).to_le_bytes()),
        }
    }
}

/// Warnings about variables of the description that the compiler may have replaced by their initial values. They are not
/// errors, because the value does arrive where the program reads the memory, as in another file.
pub(crate) fn warnings(patches: &[Patch], programs: &[Program]) -> Vec<Diagnostic> {
    let constant =
        |patch: &&Patch| programs[patch.program].segments[patch.segment].flags & MappingFlags::WRITE == 0;
    let warning = |patch: &Patch| {
        let (symbol, span, program) = (&patch.symbol, patch.span.as_ref()?, &programs[patch.program]);
        let message = format!(
            "WARNING: symbol '{symbol}' in program image for PD '{}' ({}) is in read-only memory, so the compiler may \
             have used its initial value",
            program.name,
            program.symbols_path.display()
        );
        let help = "Remove 'const' from its definition; in Rust, define it with limen::setvar!.";
        Some(error(code::SETVAR_CONSTANT, message).at(span).help(help))
    };
    patches.iter().filter(constant).filter_map(warning).collect()
}

/// The variables of libmicrokit.
fn library_values(
    system: &SystemDescription,
    index: usize,
    domain: &ProtectionDomain,
) -> [(&'static str, Value); 6] {
    let ends = system.channels.iter().flat_map(|channel| &channel.ends);
    let own = || ends.clone().filter(|end| end.protection_domain == index);
    let mask = |may: fn(&model::ChannelEnd) -> bool| own().filter(|e| may(e)).fold(0, |m, e| m | 1 << e.id);
    [
        (NAME, Value::Bytes(name_bytes(&domain.name).to_vec())),
        ("microkit_passive", Value::Bytes(vec![u8::from(domain.passive)])),
        ("microkit_irqs", Value::word(domain.irqs.iter().fold(0, |mask, irq| mask | 1 << irq.id))),
        ("microkit_notifications", Value::word(mask(|end| end.may_notify))),
        ("microkit_pps", Value::word(mask(|end| end.may_call))),
        ("microkit_ioports", Value::word(domain.ioports.iter().fold(0, |mask, ports| mask | 1 << ports.id))),
    ]
}

/// The setvars of the description.
fn description_values<'a>(
    system: &'a SystemDescription,
    index: usize,
    domain: &'a ProtectionDomain,
) -> Vec<(&'a model::Symbol, Value)> {
    let mut values = Vec::new();
    for map in &domain.maps {
        let bytes = system.memory_regions[map.region].bytes;
        values.extend(map.setvar_vaddr.iter().map(|symbol| (symbol, Value::word(map.vaddr))));
        let prefill_bytes = system.memory_regions[map.region].prefill_bytes().unwrap_or(0);
        let prefill_size = map.setvar_prefill_size.iter();
        values.extend(prefill_size.map(|symbol| (symbol, Value::word(prefill_bytes))));
        values.extend(map.setvar_size.iter().map(|symbol| (symbol, Value::word(bytes))));
    }
    if let Some(Ring { vaddr, setvar_ring, .. }) = &domain.sample_ring {
        values.extend(setvar_ring.iter().map(|symbol| (symbol, Value::word(*vaddr))));
    }
    if let Some(Ring { vaddr, setvar_ring, .. }) = &domain.trace_ring {
        values.extend(setvar_ring.iter().map(|symbol| (symbol, Value::word(*vaddr))));
    }
    for ports in &domain.ioports {
        values.extend(ports.setvar_id.iter().map(|symbol| (symbol, Value::word(u64::from(ports.id)))));
        values.extend(ports.setvar_addr.iter().map(|symbol| (symbol, Value::word(u64::from(ports.addr)))));
    }
    for irq in &domain.irqs {
        values.extend(irq.setvar_id.iter().map(|symbol| (symbol, Value::word(u64::from(irq.id)))));
    }
    for service in &domain.services {
        values.extend(service.setvar_id.iter().map(|symbol| (symbol, Value::word(u64::from(service.id)))));
    }
    values.extend(domain.setvars.iter().map(|setvar| (&setvar.symbol, Value::Paddr(setvar.region_paddr))));
    let ends = system.channels.iter().flat_map(|channel| &channel.ends);
    for end in ends.filter(|end| end.protection_domain == index) {
        values.extend(end.setvar_id.iter().map(|symbol| (symbol, Value::word(u64::from(end.id)))));
    }
    let children = system.protection_domains.iter().filter_map(|child| child.parent.as_ref());
    for child in children.filter(|child| child.parent == index) {
        values.extend(child.setvar_id.iter().map(|symbol| (symbol, Value::word(u64::from(child.id)))));
    }
    values
}

/// The variables of the monitor, by index of protection domain.
fn monitor_values(system: &SystemDescription, target: &Target) -> [(&'static str, Value); 3] {
    let domains = &system.protection_domains;
    let mut names: Vec<u8> = domains.iter().flat_map(|domain| name_bytes(&domain.name)).collect();
    names.resize(THREADS * NAME_BYTES, 0);
    let bottoms = domains.iter().map(|domain| target.map_limit(domain.stack_bytes));
    let mut bottoms: Vec<u8> = bottoms.flat_map(u64::to_le_bytes).collect();
    bottoms.resize(THREADS * WORD_BYTES as usize, 0);
    [
        ("pd_names", Value::Bytes(names)),
        ("pd_names_len", Value::word(domains.len() as u64)),
        ("pd_stack_bottom_addrs", Value::Bytes(bottoms)),
    ]
}

fn library_patch(index: usize, program: &Program, name: &str, value: Value) -> Result<Patch, Diagnostic> {
    let expected = value.byte_count();
    let patch = program.variable(name).and_then(|symbol| {
        let bytes = symbol.bytes;
        // Before Microkit 2.0, names had 16 bytes.
        let fitting = if name == NAME && bytes < expected {
            value.shortened(bytes)
        } else {
            (bytes == expected).then_some(value)
        };
        let refusal = || format!("symbol has size '{bytes}' bytes, expected size '{expected}' bytes");
        patch(index, program, symbol, name, fitting.ok_or_else(refusal)?)
    });
    let help = if program.symbols.is_empty() {
        "The program has no symbols; use the file before stripping, or name that file with \
         path_for_symbols."
    } else {
        "The variable comes from the SDK; link the program with -lmicrokit of this SDK."
    };
    patch.map_err(|reason| unpatched(program, name, &reason).at(program.span.as_ref()).help(help))
}

fn setvar_patch(
    index: usize,
    program: &Program,
    symbol: &model::Symbol,
    value: Value,
) -> Result<Patch, Diagnostic> {
    let name = &symbol.name;
    let refuse = |reason: String| {
        let rule = || "The symbol must be a global or static variable of this program.".to_owned();
        let help = program.symbols.did_you_mean(name).unwrap_or_else(rule);
        unpatched(program, name, &reason).at(&symbol.span).help(help)
    };
    let found = program.variable(name).map_err(refuse)?;
    if found.bytes != WORD_BYTES {
        let message = format!(
            "ERROR: setvar to non-word size symbol '{name}' for PD '{}', symbol has size '{}' bytes, expected \
             size '{WORD_BYTES}' bytes",
            program.name, found.bytes
        );
        return Err(error(code::SETVAR_SIZE, message)
            .at(&symbol.span)
            .help("Use a 64-bit type for the variable."));
    }
    let patch = patch(index, program, found, name, value).map_err(refuse)?;
    Ok(Patch { span: Some(symbol.span.clone()), ..patch })
}

fn patch(index: usize, program: &Program, symbol: Symbol, name: &str, value: Value) -> Result<Patch, String> {
    let Symbol { vaddr, bytes, .. } = symbol;
    let segment = program.segment_with(vaddr, bytes);
    let segment = segment.ok_or_else(|| format!("address 0x{vaddr:x} is not in a loaded segment"))?;
    Ok(Patch { program: index, segment, vaddr, value, symbol: name.to_owned(), span: None })
}

fn unpatched(program: &Program, name: &str, reason: &str) -> Diagnostic {
    let (domain, path) = (&program.name, program.symbols_path.display());
    let message = format!(
        "ERROR: could not patch symbol '{name}' in program image for PD '{domain}' ({path}): {reason}"
    );
    error(code::SYMBOL_PATCH, message)
}

fn name_bytes(name: &str) -> [u8; NAME_BYTES] {
    let mut bytes = [0; NAME_BYTES];
    for (to, from) in bytes.iter_mut().zip(name.bytes()) {
        *to = from;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_elf::TestElf;
    use crate::test_system::{FAMILY, built, parts, program};

    /// The initial bytes of a program.
    fn bytes(program: &Program, vaddr: u64, count: usize) -> Vec<u8> {
        let page = program.contents(vaddr / 0x1000 * 0x1000, 0x1000).next().unwrap();
        page[vaddr as usize % 0x1000..][..count].to_vec()
    }

    fn word(program: &Program, name: &str) -> u64 {
        let symbol = program.symbols.unique(name).unwrap();
        u64::from_le_bytes(bytes(program, symbol.vaddr, 8).try_into().unwrap())
    }

    #[test]
    fn programs_receive_their_name_and_channel_masks() {
        let built = built(FAMILY);
        let [parent, child, server, _] = &built.parts.programs[..] else { panic!("four programs") };
        assert_eq!(bytes(parent, 0x20_1000, 8), *b"parent\0\0");
        assert_eq!((bytes(parent, 0x20_1040, 1), bytes(server, 0x20_1040, 1)), (vec![0], vec![1]));
        let masks =
            |p| (word(p, "microkit_notifications"), word(p, "microkit_pps"), word(p, "microkit_irqs"));
        assert_eq!(masks(parent), (1 << 1, 1 << 1, 0));
        assert_eq!(masks(child), (1 << 3, 0, 0));
        assert_eq!(masks(server), (1 << 4, 0, 0));
    }

    #[test]
    fn libraries_may_know_less() {
        let mut parts = parts(FAMILY, "debug");
        let elf = TestElf::program();
        let of_another = |name_bytes| {
            let mut elf = TestElf { symbols: Vec::new(), ..elf.clone() };
            elf = elf.symbol(NAME, 0x20_1000, name_bytes).symbol("microkit_notifications", 0x20_1050, 8);
            program("child", &elf.symbol("word", 0x20_1068, 8))
        };
        parts.programs[1] = of_another(16);
        let patches = collect(&parts.system, &parts.programs, &parts.config, &Target::aarch64()).unwrap();
        apply(&patches, &mut parts.programs, |_| 0);
        assert_eq!(bytes(&parts.programs[1], 0x20_1000, 17), *b"child\0\0\0\0\0\0\0\0\0\0\0\xdd");
        assert_eq!(word(&parts.programs[1], "microkit_notifications"), 1 << 3);
        // What does not fit, and what matters, is missed.
        parts.programs[1] = of_another(4);
        assert!(collect(&parts.system, &parts.programs, &parts.config, &Target::aarch64()).is_err());
        parts.programs[1] = of_another(16);
        parts.programs.swap(0, 1);
        assert!(collect(&parts.system, &parts.programs, &parts.config, &Target::aarch64()).is_err());
    }

    #[test]
    fn only_variables_are_set_and_each_byte_once() {
        let refusal = |elf: TestElf| {
            let mut parts = parts(FAMILY, "debug");
            parts.programs[2] = program("server", &elf);
            let patches = collect(&parts.system, &parts.programs, &parts.config, &Target::aarch64());
            patches.unwrap_err().message
        };
        let without = |name: &str| {
            let mut elf = TestElf::program();
            elf.symbols.retain(|(symbol, ..)| *symbol != name);
            elf
        };
        let message = refusal(without("word").function("word", 0x20_0000, 8));
        assert!(message.contains(": it is a function, not a variable"), "{message}");
        let message = refusal(without("zero_word").symbol("zero_word", 0x20_1068, 8));
        assert!(
            message.contains(": it shares memory at 0x201068 with 'zero_word', which is set, too"),
            "{message}"
        );
    }

    #[test]
    fn descriptions_set_symbols() {
        let built = built(FAMILY);
        let [parent, child, server, _] = &built.parts.programs[..] else { panic!("four programs") };
        assert_eq!((word(parent, "word"), word(parent, "zero_word")), (0x40_0000, 7));
        assert_eq!(word(child, "word"), 0x20_0000);
        let shared = built.spaces.extent_of_region(0).unwrap();
        let expected = (4, built.memory.places[shared].paddr);
        assert_eq!((word(server, "word"), word(server, "zero_word")), expected);
    }

    #[test]
    fn the_monitor_receives_names_and_stacks() {
        let built = built(FAMILY);
        let monitor = &built.parts.programs[3];
        assert_eq!(bytes(monitor, 0x20_1000 + 2 * 64, 7), *b"server\0");
        assert_eq!(word(monitor, "pd_names_len"), 3);
        assert_eq!(bytes(monitor, 0x20_2008, 8), 0xff_ffff_c000_u64.to_le_bytes());
    }
}
