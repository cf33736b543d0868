//! Checks of `./x check` on the static keys of the linked kernel: each site is a single, correct instruction.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::failure::{Context, Failure, Outcome};
use crate::shell::process;

/// Bytes of a row of the site table.
const ROW_BYTES: u64 = 16;
/// Bytes of the words in which code is patched.
const WORD_BYTES: u64 = 8;
/// The x86 prefix without effect that pads sites.
const FILLER: &str = "3e";

/// Checks every site of a kernel.
///
/// # Errors
/// When one is wrong (the failure names it), when there are none, or when the file cannot be read.
pub fn are_plain(kernel: &Path, architecture: &str) -> Outcome {
    let bytes = std::fs::read(kernel).context(|| format!("cannot read {}", kernel.display()))?;
    let symbols = process::capture(Command::new("llvm-nm").arg(kernel))?;
    let listing = process::capture(Command::new("llvm-objdump").arg("-d").arg(kernel))?;
    let instructions = instructions(&listing);
    let sites = sites(&bytes, &symbols).filter(|sites| !sites.is_empty());
    let sites =
        sites.ok_or_else(|| Failure::new(format!("{} has no sites of static keys", kernel.display())))?;
    let wrong: Vec<_> = sites.iter().filter_map(|site| site.objection(&instructions, architecture)).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{}: {}", kernel.display(), wrong.join("; "))))
}

/// A site and its jump target, as addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    address: u64,
    target: u64,
}

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Instruction {
    bytes: Vec<String>,
    mnemonic: String,
    /// The first number among the operands.
    number: Option<u64>,
}

impl Site {
    /// The rule that a site breaks, if any.
    fn objection(self, instructions: &BTreeMap<u64, Instruction>, architecture: &str) -> Option<String> {
        let object = |what: &str| Some(format!("the site at {:#x} {what}", self.address));
        let Some((start, instruction)) = instructions.range(..=self.address).next_back() else {
            return object("is not in code");
        };
        let (filler, length) = (self.address - start, instruction.length());
        let (jump, lengths): (_, &[u64]) = match architecture {
            "aarch64" => ("b", &[4]),
            "riscv64" => ("j", &[4]),
            _ => ("jmp", &[2, 5]),
        };
        if !instruction.bytes.iter().take(filler as usize).all(|byte| byte == FILLER) || filler >= length {
            return object("is not the start of an instruction");
        }
        if !lengths.contains(&(length - filler)) {
            return object("has the wrong length");
        }
        if self.address / WORD_BYTES != (start + length - 1) / WORD_BYTES {
            return object("crosses a word of eight bytes");
        }
        let is_jump = instruction.mnemonic == jump && instruction.number == Some(self.target);
        // On x86, the assembler emits jumps, and boot turns them into nops.
        let is_nop = instruction.mnemonic == "nop" && jump != "jmp";
        if is_jump || is_nop { None } else { object("is neither its jump nor a nop") }
    }
}

impl Instruction {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// The rows between the symbols of the linker script.
fn sites(elf: &[u8], symbols: &str) -> Option<Vec<Site>> {
    let symbol = |wanted: &str| {
        let line = symbols.lines().find(|line| line.ends_with(wanted))?;
        u64::from_str_radix(line.split_once(' ')?.0, 16).ok()
    };
    let (start, end) = (symbol(" __start_limen_key_sites")?, symbol(" __stop_limen_key_sites")?);
    let rows = (start..end).step_by(ROW_BYTES as usize);
    rows.map(|row| {
        let at = file_offset(elf, row)?;
        let distance = |at: usize| Some(i64::from(i32::from_le_bytes(*elf.get(at..)?.first_chunk()?)));
        Some(Site {
            address: row.wrapping_add_signed(distance(at)?),
            target: (row + 4).wrapping_add_signed(distance(at + 4)?),
        })
    })
    .collect()
}

/// The offset in the file of the byte at this address.
fn file_offset(elf: &[u8], address: u64) -> Option<usize> {
    let half = |at: usize| Some(usize::from(u16::from_le_bytes(*elf.get(at..)?.first_chunk()?)));
    let long = |at: usize| Some(u64::from_le_bytes(*elf.get(at..)?.first_chunk()?));
    let (table, size, count) = (usize::try_from(long(32)?).ok()?, half(54)?, half(56)?);
    (0..count).find_map(|index| {
        let header = table + index * size;
        let (offset, first, bytes) = (long(header + 8)?, long(header + 16)?, long(header + 32)?);
        let distance = address.checked_sub(first).filter(|distance| *distance < bytes)?;
        usize::try_from(offset + distance).ok()
    })
}

/// The instructions of a listing by their addresses.
fn instructions(listing: &str) -> BTreeMap<u64, Instruction> {
    let instruction = |line: &str| {
        let (address, rest) = line.trim_start().split_once(": ")?;
        let (bytes, text) = rest.split_once('\t')?;
        let (mnemonic, operands) = text.split_once('\t').unwrap_or((text, ""));
        let digits = operands.split_once("0x").map(|(_, digits)| digits.split([' ', ',', '<']).next());
        let number = digits.flatten().and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let bytes = bytes.split_whitespace().map(str::to_owned).collect();
        let instruction = Instruction { bytes, mnemonic: mnemonic.trim().to_owned(), number };
        Some((u64::from_str_radix(address, 16).ok()?, instruction))
    };
    listing.lines().filter_map(instruction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objection(line: &str, address: u64, target: u64, architecture: &str) -> Option<String> {
        Site { address, target }.objection(&instructions(line), architecture)
    }

    #[test]
    fn nops_and_jumps_of_the_right_form_pass() {
        let nop = "ffffffff80000004: 1f 20 03 d5  \tnop";
        assert_eq!(objection(nop, 0xffff_ffff_8000_0004, 0, "aarch64"), None);
        let branch = "      10: 02 00 00 14  \tb\t0x18 <out+0x8>";
        assert_eq!(objection(branch, 0x10, 0x18, "aarch64"), None);
        assert_eq!(objection("      12: 13 00 00 00  \tnop", 0x12, 0, "riscv64"), None);
        assert_eq!(objection("      10: eb 06      \tjmp\t0x18 <out>", 0x10, 0x18, "x86_64"), None);
    }

    #[test]
    fn a_site_may_start_with_prefixes() {
        let line = "      1e: 3e 3e e9 94 02 00 00 \tjmp\t0x2b9 <out>";
        assert_eq!(objection(line, 0x20, 0x2b9, "x86_64"), None);
        let across = Some("the site at 0x1e crosses a word of eight bytes".to_owned());
        assert_eq!(objection("1e: e9 94 02 00 00 \tjmp\t0x2b7", 0x1e, 0x2b7, "x86_64"), across);
    }

    #[test]
    fn other_instructions_are_found() {
        let neither = Some("the site at 0x10 is neither its jump nor a nop".to_owned());
        assert_eq!(objection("10: 02 00 00 94 \tbl\t0x18", 0x10, 0x18, "aarch64"), neither);
        assert_eq!(objection("10: 02 00 00 14 \tb\t0x1c", 0x10, 0x18, "aarch64"), neither);
        assert_eq!(objection("10: 66 90 \tnop", 0x10, 0x18, "x86_64"), neither);
        let inside = Some("the site at 0x12 is not the start of an instruction".to_owned());
        assert_eq!(objection("10: 1f 20 03 d5 \tnop", 0x12, 0x18, "aarch64"), inside);
        let length = Some("the site at 0x10 has the wrong length".to_owned());
        assert_eq!(objection("10: 01 00 \tnop", 0x10, 0x18, "riscv64"), length);
    }
}
