//! Branches on static keys in programs: a nop or a jump, depending on the state of a key.
//!
//! The macros of `limen/static_key.h` emit a jump for each branch, and a row of three words in a section that is not
//! loaded: the address of the jump, its target, and its key with the state in which it jumps. This module checks
//! every row, writes the default instruction of every branch, and lists the branches on bound keys for the kernel.

use std::collections::HashMap;

use limen_image::{KeySite, MappingFlags, Region};
use limen_sdf::model::SystemDescription;
use limen_sdf::{Architecture, Diagnostic};

use crate::address_space::AddressSpaces;
use crate::code;
use crate::config::Config;
use crate::error::{Context, error};
use crate::program::Program;
use limen_abi::limits::KEY_SITES;

/// Bytes of a row.
const ROW_BYTES: usize = 24;
/// Bytes of a word in which the kernel patches an instruction.
const WORD_BYTES: u64 = 8;
/// Bit of a row's key: the branch jumps while the key is off.
const JUMPS_IF_OFF: u64 = 1;

/// A branch on a key of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundSite {
    program: usize,
    key: usize,
    vaddr: u64,
    instructions: Instructions,
}

/// The two instructions of a branch, lowest byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instructions {
    length: u64,
    if_on: u64,
    if_off: u64,
}

/// A row of the section.
#[derive(Clone, Copy, Debug)]
struct Row {
    site: u64,
    target: u64,
    key: u64,
    jumps_if: bool,
}

/// Checks the branches of all programs, writes their defaults, and returns those on keys of the system.
///
/// # Errors
/// An invalid row, a symbol that is not a key, or too many branches.
pub fn collect(
    system: &SystemDescription,
    programs: &mut [Program],
    config: &Config,
    architecture: Architecture,
) -> Result<Vec<BoundSite>, Diagnostic> {
    let mut bound = Vec::new();
    for (index, (domain, program)) in system.protection_domains.iter().zip(programs).enumerate() {
        let mut symbols = HashMap::new();
        for key in &domain.keys {
            let Some(symbol) = &key.symbol else { continue };
            let found = program.symbols.unique(&symbol.name).and_then(|found| match found.bytes {
                WORD_BYTES => Ok(found.vaddr),
                bytes => Err(format!("it has {bytes} bytes and is no static key")),
            });
            let vaddr = found.map_err(|reason| unbound(program, &symbol.name, &reason).at(&symbol.span))?;
            symbols.entry(vaddr).or_insert(key.key);
        }
        for row in rows(&program.key_sites).map_err(|reason| wrong(program, 0, reason))? {
            let key = symbols.get(&row.key).copied();
            let instructions = row.preset(program, key.map(|key| default(system, config, key)), architecture);
            let instructions = instructions.map_err(|reason| wrong(program, row.site, reason))?;
            bound.extend(key.map(|key| BoundSite { program: index, key, vaddr: row.site, instructions }));
        }
    }
    if bound.len() > KEY_SITES {
        let message = format!(
            "ERROR: programs have {} branches on static keys of the system, maximum is {KEY_SITES}",
            bound.len()
        );
        let help = "Move code with branches into functions that are not inlined, so that fewer copies exist.";
        return Err(error(code::KEY_SITES_TOO_MANY, message).help(help));
    }
    Ok(bound)
}

/// The records for the image. `region_of` maps an extent to its region in the image.
#[must_use]
pub fn records(
    sites: &[BoundSite],
    spaces: &AddressSpaces,
    region_of: &[u64],
    regions: &[Region],
) -> Vec<KeySite> {
    let record = |site: &BoundSite| {
        let place = (site.program, site.vaddr);
        let next = spaces.mappings.partition_point(|mapping| (mapping.program, mapping.vaddr) <= place);
        let mapping = spaces.mappings.get(next.checked_sub(1)?)?;
        if mapping.program != site.program || site.vaddr - mapping.vaddr >= mapping.bytes {
            return None;
        }
        let Instructions { length, if_on, if_off } = site.instructions;
        let region = *region_of.get(mapping.extent)?;
        let paddr = regions.get(region as usize)?.paddr + (site.vaddr - mapping.vaddr);
        Some(KeySite { key: site.key as u64, region, paddr, length, if_on, if_off })
    };
    let mut records: Vec<_> = sites.iter().filter_map(record).collect();
    records.sort_by_key(|record| (record.key, record.paddr));
    records
}

fn default(system: &SystemDescription, config: &Config, key: usize) -> bool {
    let key = &system.static_keys[key];
    key.kernel.map_or(key.default, |kernel| config.options() & kernel.option() != 0)
}

/// The rows of a section. Rows of zeros belong to code that the linker dropped.
fn rows(section: &[u8]) -> Result<Vec<Row>, &'static str> {
    let (rows, rest) = section.as_chunks::<ROW_BYTES>();
    if !rest.is_empty() {
        return Err("belongs to a truncated list");
    }
    let word = |row: &[u8; ROW_BYTES], at: usize| {
        row.as_chunks::<8>().0.get(at).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let row = |row: &[u8; ROW_BYTES]| Row {
        site: word(row, 0),
        target: word(row, 1),
        key: word(row, 2) & !JUMPS_IF_OFF,
        jumps_if: word(row, 2) & JUMPS_IF_OFF == 0,
    };
    Ok(rows.iter().map(row).filter(|row| row.site != 0).collect())
}

impl Row {
    /// Checks the branch and writes the instruction of its default: the default of the bound key, or its own.
    fn preset(
        &self,
        program: &mut Program,
        bound: Option<bool>,
        architecture: Architecture,
    ) -> Result<Instructions, &'static str> {
        let own = word(program, self.key).ok_or("has no key")?;
        let segment = program.segment_with(self.site, 1).ok_or("is not in the program")?;
        if program.segments[segment].flags & MappingFlags::EXECUTE == 0 {
            return Err("is not in code");
        }
        let start = self.site / WORD_BYTES * WORD_BYTES;
        let offset = self.site - start;
        let bits = word(program, start).ok_or("is not in code")? >> (8 * offset);
        let (length, target) = jump(architecture, bits, self.site, WORD_BYTES - offset)
            .ok_or("is not one jump in one word of eight bytes")?;
        if target != self.target {
            return Err("jumps to another address than its row has");
        }
        let jump = bits & (u64::MAX >> (64 - 8 * length));
        let nop = nop(architecture, length);
        let (if_on, if_off) = if self.jumps_if { (jump, nop) } else { (nop, jump) };
        let instruction = if bound.unwrap_or(own != 0) { if_on } else { if_off };
        let bytes = instruction.to_le_bytes();
        program.segments[segment].write(self.site, &bytes[..length as usize]);
        Ok(Instructions { length, if_on, if_off })
    }
}

/// The aligned word at an address.
fn word(program: &Program, vaddr: u64) -> Option<u64> {
    if !vaddr.is_multiple_of(WORD_BYTES) {
        return None;
    }
    program.segments.get(program.segment_with(vaddr, WORD_BYTES)?)?.word(vaddr)
}

/// Length and target of the jump that these bits start with, if it fits into `room`.
///
/// Source: Arm Architecture Reference Manual, `B`; RISC-V Instruction Set Manual, `JAL`; Intel SDM, `JMP`.
fn jump(architecture: Architecture, bits: u64, at: u64, room: u64) -> Option<(u64, u64)> {
    let signed = |value: u64, width: u32| (value << (64 - width)).cast_signed() >> (64 - width);
    let (length, distance) = match architecture {
        Architecture::Aarch64 if bits >> 26 & 0x3f == 0x05 => (4, signed(bits, 26) * 4),
        Architecture::Riscv64 if bits & 0xfff == 0x6f => {
            let field = |from: u32, width: u32, to: u32| (bits >> from & ((1 << width) - 1)) << to;
            let far = field(31, 1, 20) | field(12, 8, 12) | field(20, 1, 11) | field(21, 10, 1);
            (4, signed(far, 21))
        }
        Architecture::X86_64 if bits & 0xff == 0xeb => (2, 2 + signed(bits >> 8, 8)),
        Architecture::X86_64 if bits & 0xff == 0xe9 => (5, 5 + signed(bits >> 8, 32)),
        _ => return None,
    };
    (length <= room).then_some((length, at.wrapping_add_signed(distance)))
}

/// The nop of this length.
fn nop(architecture: Architecture, length: u64) -> u64 {
    match (architecture, length) {
        (Architecture::Aarch64, _) => 0xd503_201f,
        (Architecture::Riscv64, _) => 0x0000_0013,
        (Architecture::X86_64, 2) => 0x9066,
        (Architecture::X86_64, _) => 0x00_0044_1f0f,
    }
}

fn wrong(program: &Program, site: u64, reason: &str) -> Diagnostic {
    let (name, path) = (&program.name, program.path.display());
    let message = format!("ERROR: the static key site at 0x{site:x} of '{path}' for PD '{name}' {reason}");
    let help = "Use only the macros of limen/static_key.h for branches, and LIMEN_STATIC_KEY_TRUE and _FALSE for keys.";
    error(code::KEY_SITE, message).at(program.span.as_ref()).help(help)
}

fn unbound(program: &Program, symbol: &str, reason: &str) -> Diagnostic {
    let (name, path) = (&program.name, program.symbols_path.display());
    let message = format!(
        "ERROR: could not bind symbol '{symbol}' in program image for PD '{name}' ({path}): {reason}"
    );
    let rule = "The symbol must be a LIMEN_STATIC_KEY_TRUE or LIMEN_STATIC_KEY_FALSE of this program.";
    let help = program.symbols.did_you_mean(symbol).unwrap_or_else(|| rule.to_owned());
    error(code::KEY_SYMBOL, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_elf::TestElf;
    use crate::test_system::{elf_file, parts};
    use crate::{Built, ImageType};

    #[test]
    fn jumps_are_decoded_as_the_assembler_encodes_them() {
        use Architecture::{Aarch64, Riscv64, X86_64};
        for (architecture, bits, expected) in [
            (Aarch64, 0x1400_0002, Some((4, 0x1008))),
            (Aarch64, 0x17ff_ffff, Some((4, 0xffc))),
            (Aarch64, 0x9400_0002, None),
            (Riscv64, 0x0080_006f, Some((4, 0x1008))),
            (Riscv64, 0xffdf_f06f, Some((4, 0xffc))),
            (Riscv64, 0x7ff7_f06f, Some((4, 0x80ffe))),
            (Riscv64, 0x0080_00ef, None),
            (X86_64, 0x06eb, Some((2, 0x1008))),
            (X86_64, 0xff_ffff_fbe9, Some((5, 0x1000))),
            (X86_64, 0x9090, None),
        ] {
            assert_eq!(jump(architecture, bits, 0x1000, 8), expected, "{bits:#x}");
        }
        assert_eq!(jump(X86_64, 0xe9, 0x1005, 3), None);
    }

    /// A system with a key, and one program with this many branches on its own key `word`.
    fn with_branches(count: u64, more: &str) -> Built {
        let text = format!(
            r#"<system><static_key name="trace" />
            <protection_domain name="a"><program_image path="p" />{more}</protection_domain></system>"#
        );
        let mut parts = parts(&text, "debug");
        let elf = elf_file(&TestElf::program().with_branches(count));
        parts.programs[0] = Program::from_elf("a", std::path::Path::new("p"), elf).unwrap();
        parts.build(ImageType::Binary).unwrap()
    }

    #[test]
    fn branches_get_the_defaults_of_their_keys_and_are_listed() {
        let branches = |built: &Built| built.parts.programs[0].segments[0].word(0x20_0000);
        const JUMPS: u64 = 0x1400_0002_1400_0002;
        const NOPS: u64 = 0xd503_201f_d503_201f;
        // The program's own default is on, the system key's is off.
        let built = with_branches(2, "");
        assert_eq!((branches(&built), built.tables.key_sites.len()), (Some(JUMPS), 0));
        let built = with_branches(2, r#"<key name="trace" symbol="word" />"#);
        assert_eq!(branches(&built), Some(NOPS));
        let mapping = built.tables.mappings.iter().find(|mapping| mapping.vaddr == 0x20_0000).unwrap();
        let site = |offset| {
            let (if_on, if_off) = (JUMPS & 0xffff_ffff, NOPS & 0xffff_ffff);
            let paddr = built.tables.regions[mapping.region as usize].paddr + offset;
            KeySite { key: 0, region: mapping.region, paddr, length: 4, if_on, if_off }
        };
        assert_eq!(built.tables.key_sites, [site(0), site(4)]);
    }

    #[test]
    fn branches_up_to_the_limit_are_listed() {
        let built = with_branches(KEY_SITES as u64, r#"<key name="trace" symbol="word" />"#);
        let places = built.tables.key_sites.iter().map(|site| site.paddr);
        let first = built.tables.key_sites.first().map_or(0, |site| site.paddr);
        assert!(places.eq((0..KEY_SITES as u64).map(|index| first + 4 * index)));
    }

    #[test]
    fn a_truncated_list_is_refused_and_dropped_rows_are_skipped() {
        assert!(rows(&[0; 25]).is_err());
        assert_eq!(rows(&[0; 48]).unwrap().len(), 0);
    }
}
