//! Branches on static keys in programs: a nop or a jump, depending on the state of a key.
//!
//! The macros of `limen/static_key.h` emit a jump for each branch, and a row of three words in a section that is not
//! loaded: the address of the jump, its target, and its key with the state in which it jumps. This module checks
//! every row, writes the default instruction of every branch, and lists the branches on bound keys for the kernel.
//!
//! A fallback branch tests the word of its key. If a program has any, the words of its bound keys are listed as well, and the
//! kernel stores 0 or 1 there as it patches an instruction.

use std::collections::BTreeMap;

use limen_image::{KeySite, MappingFlags, Region};
use limen_sdf::model::{KeyUse, SystemDescription};
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

impl Instructions {
    /// The states of a key in its word.
    const WORD: Self = Self { length: WORD_BYTES, if_on: 1, if_off: 0 };
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
        let keys = bindings(program, &domain.keys)?;
        for row in rows(&program.key_sites).map_err(|reason| wrong(program, 0, reason))? {
            let key = keys.get(&row.key).copied();
            let instructions = row.preset(program, key.map(|key| default(system, config, key)), architecture);
            let instructions = instructions.map_err(|reason| wrong(program, row.site, reason))?;
            bound.extend(key.map(|key| BoundSite { program: index, key, vaddr: row.site, instructions }));
        }
        if program.reads_keys {
            for (vaddr, key) in keys {
                write(program, vaddr, u64::from(default(system, config, key)), WORD_BYTES);
                bound.push(BoundSite { program: index, key, vaddr, instructions: Instructions::WORD });
            }
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

/// The system's keys that a program's keys are bound to, by the addresses of the latter.
fn bindings(program: &Program, uses: &[KeyUse]) -> Result<BTreeMap<u64, usize>, Diagnostic> {
    let mut bound = BTreeMap::new();
    for (key, symbol) in uses.iter().filter_map(|key| Some((key.key, key.symbol.as_ref()?))) {
        let refused = |reason: &str| unbound(program, &symbol.name, reason).at(&symbol.span);
        for vaddr in words_of(program, &symbol.name).map_err(|reason| refused(&reason))? {
            is_key(program, vaddr).map_err(refused)?;
            if bound.insert(vaddr, key).is_some() {
                return Err(refused("another 'key' element binds it, too"));
            }
        }
    }
    Ok(bound)
}

/// The addresses of a key, of an element of an array of keys, or of all elements of an array.
fn words_of(program: &Program, symbol: &str) -> Result<impl Iterator<Item = u64> + use<>, String> {
    let (name, index) = element_of(symbol)?;
    let found = program.variable(name)?;
    let count = found.bytes / WORD_BYTES;
    if count == 0 || !found.bytes.is_multiple_of(WORD_BYTES) {
        return Err(format!("it has {} bytes and is no static key", found.bytes));
    }
    let words = match index {
        None => 0..count,
        Some(index) if index < count => index..index + 1,
        Some(_) => return Err(format!("'{name}' has {count} {}", if count == 1 { "key" } else { "keys" })),
    };
    Ok(words.map(move |word| found.vaddr.wrapping_add(word * WORD_BYTES)))
}

/// The symbol, and the index of an element as in `traces[2]`.
fn element_of(symbol: &str) -> Result<(&str, Option<u64>), String> {
    let Some((name, index)) = symbol.split_once('[') else { return Ok((symbol, None)) };
    let index = index.strip_suffix(']').and_then(|index| index.parse().ok());
    index.map(|index| (name, Some(index))).ok_or_else(|| "the index is no number in brackets".to_owned())
}

/// Checks that the word at an address can be a key, and that the program cannot change one that it reads.
fn is_key(program: &Program, vaddr: u64) -> Result<(), &'static str> {
    if word(program, vaddr).is_none_or(|word| word > 1) {
        return Err("it is no static key");
    }
    let segment = program.segment_with(vaddr, WORD_BYTES).and_then(|index| program.segments.get(index));
    let is_writable = segment.is_some_and(|segment| segment.flags & MappingFlags::WRITE != 0);
    if program.reads_keys && is_writable {
        return Err("the program loads it, and it is in writable memory");
    }
    Ok(())
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
    let group = key.group.is_some_and(|group| system.static_keys[group].default);
    key.kernel.map_or(key.default || group, |kernel| config.options() & kernel.option() != 0)
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
        write(program, self.site, instruction, length);
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

/// Writes the lowest bytes of a word, all of which lie in one segment.
fn write(program: &mut Program, vaddr: u64, bits: u64, length: u64) {
    let segment = program.segment_with(vaddr, length).and_then(|index| program.segments.get_mut(index));
    if let Some(segment) = segment {
        segment.write(vaddr, &bits.to_le_bytes()[..length as usize]);
    }
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
    let rule = "The symbol must be a LIMEN_STATIC_KEY_TRUE or LIMEN_STATIC_KEY_FALSE of this program, or an element of an \
                array of such keys, and microkit.ld must place its section.";
    let help = program
        .symbols
        .did_you_mean(element_of(symbol).map_or(symbol, |(name, _)| name))
        .unwrap_or_else(|| rule.to_owned());
    error(code::KEY_SYMBOL, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_elf::TestElf;
    use crate::test_system::{elf_file, parts};
    use crate::{Built, ImageType};
    use object::elf::PF_R;

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
        build(&text, &TestElf::program().with_branches(count)).unwrap()
    }

    fn build(text: &str, program: &TestElf) -> Result<Built, Diagnostic> {
        let mut parts = parts(text, "debug");
        let elf = elf_file(program);
        parts.programs[0] = Program::from_elf("a", std::path::Path::new("p"), elf).unwrap();
        parts.build(ImageType::Binary)
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

    /// A program with an array of three keys in read-only memory, the second one on, and the addresses of these keys.
    fn with_array(reads_keys: bool) -> (TestElf, [u64; 3]) {
        let words: Vec<u8> = [0u64, 1, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut program =
            TestElf::program().segment(PF_R, 0x30_0000, &words, 24).symbol("keys", 0x30_0000, 24);
        program.reads_keys = reads_keys;
        (program, [0, 8, 16].map(|at| 0x30_0000 + at))
    }

    /// The words of three keys, and of each listed word its key and its offset.
    type Words = (Vec<u64>, Vec<(u64, u64)>);

    fn words(keys: &str, reads_keys: bool) -> Result<Words, String> {
        let text = format!(
            r#"<system><static_key name="a" default="true" /><static_key name="b" />
            <protection_domain name="p"><program_image path="p" />{keys}</protection_domain></system>"#
        );
        let (program, addresses) = with_array(reads_keys);
        let built = build(&text, &program).map_err(|error| error.message)?;
        let segment = built.parts.programs[0].segments.iter().find(|s| s.start == 0x30_0000).unwrap();
        let first = built.tables.mappings.iter().find(|mapping| mapping.vaddr == 0x30_0000).unwrap();
        let paddr = built.tables.regions[first.region as usize].paddr;
        let sites = built.tables.key_sites.iter().map(|site| {
            assert_eq!((site.length, site.if_on, site.if_off), (8, 1, 0));
            (site.key, site.paddr - paddr)
        });
        Ok((addresses.iter().map(|address| segment.word(*address).unwrap()).collect(), sites.collect()))
    }

    #[test]
    fn words_of_bound_keys_are_listed_if_the_program_reads_them() {
        let element = r#"<key name="a" symbol="keys[2]" /><key name="b" symbol="keys[1]" />"#;
        assert_eq!(words(element, false), Ok((vec![0, 1, 0], vec![])));
        assert_eq!(words(element, true), Ok((vec![0, 0, 1], vec![(0, 16), (1, 8)])));
        let array = r#"<key name="a" symbol="keys" />"#;
        assert_eq!(words(array, true), Ok((vec![1, 1, 1], vec![(0, 0), (0, 8), (0, 16)])));
    }

    #[test]
    fn a_group_that_is_on_turns_its_keys_on() {
        let text = r#"<system><static_key name="all" default="true" /><static_key name="one" group="all" />
            <protection_domain name="p"><program_image path="p" /><key name="one" symbol="keys[0]" />
            </protection_domain></system>"#;
        let (program, [first, ..]) = with_array(true);
        let built = build(text, &program).unwrap();
        let segment = built.parts.programs[0].segments.iter().find(|s| s.start == first).unwrap();
        assert_eq!((segment.word(first), built.tables.keys[1].group), (Some(1), 0));
    }

    #[test]
    fn elements_that_do_not_exist_or_are_bound_twice_are_refused() {
        for (keys, reason) in [
            (r#"<key name="a" symbol="keys[3]" />"#, "'keys' has 3 keys"),
            (r#"<key name="a" symbol="keys[" />"#, "the index is no number in brackets"),
            (r#"<key name="a" symbol="keys[-1]" />"#, "the index is no number in brackets"),
            (r#"<key name="a" symbol="keys[18446744073709551616]" />"#, "the index is no number in brackets"),
            (r#"<key name="a" symbol="[0]" />"#, "no symbol named '' found"),
            (
                r#"<key name="a" symbol="keys" /><key name="b" symbol="keys[1]" />"#,
                "another 'key' element binds it, too",
            ),
            (r#"<key name="a" symbol="microkit_name" />"#, "it is no static key"),
            (r#"<key name="a" symbol="word" />"#, "the program loads it, and it is in writable memory"),
        ] {
            let message = words(keys, true).unwrap_err();
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn a_truncated_list_is_refused_and_dropped_rows_are_skipped() {
        assert!(rows(&[0; 25]).is_err());
        assert_eq!(rows(&[0; 48]).unwrap().len(), 0);
    }
}
