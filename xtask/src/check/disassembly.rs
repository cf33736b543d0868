//! Instructions as the disassembler lists them. Facts of the file itself come from [`crate::check::binary`].

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::shell::process;

/// A line of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// The function, with its mangled name.
    pub function: &'a str,
    pub address: u64,
    /// The mnemonic; a tab and the operands if it has any.
    pub text: &'a str,
}

impl<'a> Instruction<'a> {
    pub fn mnemonic(&self) -> &'a str {
        self.text.split('\t').next().unwrap_or_default().trim()
    }

    /// The hexadecimal numbers among the operands, which include the targets of jumps.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + use<'a> {
        let digits = self.text.split("0x").skip(1);
        let digits = digits.filter_map(|rest| rest.split(|c: char| !c.is_ascii_hexdigit()).next());
        digits.filter_map(|digits| u64::from_str_radix(digits, 16).ok())
    }
}

/// Disassembles a linked file or a library.
///
/// # Errors
/// When it has no instructions, or cannot be disassembled.
pub fn listing(file: &Path) -> Outcome<String> {
    let listing =
        process::capture(Command::new("llvm-objdump").args(["-d", "--no-show-raw-insn"]).arg(file))?;
    if instructions(&listing).next().is_none() {
        return Err(Failure::new(format!("{} has no instructions", file.display())));
    }
    Ok(listing)
}

/// The instructions of a listing.
pub fn instructions(listing: &str) -> impl Iterator<Item = Instruction<'_>> {
    let mut function = "";
    listing.lines().filter_map(move |line| {
        if let Some((_, name)) = line.strip_suffix(">:").and_then(|head| head.split_once('<')) {
            // A label inside a function does not end it.
            function = if name.starts_with(".L") { function } else { name };
            return None;
        }
        let (address, text) = line.split_once(":")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        Some(Instruction { function, address, text: text.split_once('\t')?.1 })
    })
}

/// The addresses that instructions refer to, each after that of its instruction: the hexadecimal numbers, and the targets
/// of RISC-V's jumps that add an offset to an `auipc`. Other such sums are left out, because most are addresses of data or
/// ends of ranges of code.
pub fn references(listing: &str) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut function = "";
    let mut bases: HashMap<&str, u64> = HashMap::new();
    for instruction in instructions(listing) {
        if instruction.function != function {
            function = instruction.function;
            bases.clear();
        }
        found.extend(instruction.numbers().map(|number| (instruction.address, number)));
        let operands = instruction.text.split_once('\t').map_or("", |(_, operands)| operands);
        match (instruction.mnemonic(), operands.split_once(", ")) {
            ("auipc", Some((register, pages))) => {
                // A signed number of 20 bits, printed without its sign.
                let bytes = pages.parse::<i32>().map_or(0, |pages| pages.wrapping_shl(12));
                bases.insert(register, instruction.address.wrapping_add_signed(bytes.into()));
            }
            ("jalr" | "jr", _) => found.extend(sum(operands, &bases).map(|sum| (instruction.address, sum))),
            (_, Some((register, _))) => _ = bases.remove(register),
            _ => (),
        }
    }
    found
}

/// The address that is written `offset(register)`.
fn sum(operand: &str, bases: &HashMap<&str, u64>) -> Option<u64> {
    let (offset, register) = operand.strip_suffix(')')?.split_once('(')?;
    Some(bases.get(register)?.wrapping_add_signed(offset.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_an_address_and_a_function() {
        let listing = "
kernel.elf:\tfile format elf64-x86-64
Disassembly of section .text:
ffffffff80000400 <trap>:
ffffffff80000400:      \tstp\tx0, x1, [sp]
ffffffff80000404 <.LBB0_1>:
ffffffff80000404:      \tb\t0xffffffff80000408 <leave>
0000000000000010 <leave>:
      10:      \tret
";
        let found: Vec<_> = instructions(listing).collect();
        let places: Vec<_> = found.iter().map(|found| (found.function, found.address & 0xfff)).collect();
        assert_eq!(places, [("trap", 0x400), ("trap", 0x404), ("leave", 0x10)]);
        assert_eq!(found.iter().map(Instruction::mnemonic).collect::<Vec<_>>(), ["stp", "b", "ret"]);
        assert_eq!(found[1].numbers().collect::<Vec<_>>(), [0xffff_ffff_8000_0408]);
        assert_eq!(found[0].text, "stp\tx0, x1, [sp]");
    }

    #[test]
    fn far_jumps_of_riscv_refer_to_their_targets() {
        let listing = "
0000000000010000 <trap>:
   10000: \tauipc\tra, 1048575
   10004: \tjalr\t28(ra)
   10008: \tauipc\ta0, 2
   1000c: \taddi\ta0, a0, -94
   10010: \tjalr\t8(a0)
   10014: \tjal\t0x10040 <leave>
   10018: \tauipc\tt1, 1
0000000000010020 <leave>:
   10020: \tjr\t4(t1)
";
        assert_eq!(references(listing), [(0x10004, 0xf01c), (0x10014, 0x10040)]);
    }
}
