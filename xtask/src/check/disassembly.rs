//! Instructions as the disassembler lists them. Facts of the file itself come from [`crate::check::binary`].

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
}
