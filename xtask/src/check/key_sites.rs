//! Checks of `./x check` on the static keys of the linked kernel: each site is a single, correct instruction.

use std::collections::BTreeMap;
use std::path::Path;

use object::{Object, ObjectSection};

use crate::check::binary::{self, Elf};
use crate::check::disassembly::{self, Instruction, instructions};
use crate::check::symbols::Symbols;
use crate::failure::{Context, Failure, Outcome};

/// Bytes of a row of the site table.
const ROW_BYTES: usize = 16;
/// Bytes of the words in which code is patched.
const WORD_BYTES: u64 = 8;
/// The x86 prefix without effect that pads sites.
const FILLER: u8 = 0x3e;

/// Checks every site of a kernel.
///
/// # Errors
/// When one is wrong (the failure names it), when there are none, or when the file cannot be read.
pub fn are_plain(kernel: &Path, architecture: &str) -> Outcome {
    let listing = disassembly::listing(kernel)?;
    let wrong = binary::read(kernel, |elf| objections(elf, &listing, architecture))?.concat();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!("{}: {}", kernel.display(), wrong.join("; "))))
    }
}

fn objections(elf: &Elf<'_>, listing: &str, architecture: &str) -> Outcome<Vec<String>> {
    let instructions = instructions(listing).map(|instruction| (instruction.address, instruction)).collect();
    Ok(sites(elf)?.iter().filter_map(|site| site.objection(elf, &instructions, architecture)).collect())
}

/// A site and its jump target, as addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    address: u64,
    target: u64,
}

impl Site {
    /// The rule that a site breaks, if any.
    fn objection(
        self,
        elf: &Elf<'_>,
        instructions: &BTreeMap<u64, Instruction<'_>>,
        architecture: &str,
    ) -> Option<String> {
        let object = |what: &str| Some(format!("the site at {:#x} {what}", self.address));
        let Some((start, instruction)) = instructions.range(..=self.address).next_back() else {
            return object("is not in code");
        };
        let next = instructions.range(self.address + 1..).next().map(|(next, _)| *next);
        let (jump, lengths): (_, &[u64]) = match architecture {
            "aarch64" => ("b", &[4]),
            "riscv64" => ("j", &[4]),
            _ => ("jmp", &[2, 5]),
        };
        let filler = bytes(elf, *start, self.address - start);
        if !filler.is_some_and(|filler| filler.iter().all(|byte| *byte == FILLER)) {
            return object("is not the start of an instruction");
        }
        let Some(next) = next.filter(|next| lengths.contains(&(next - self.address))) else {
            return object("has the wrong length");
        };
        if self.address / WORD_BYTES != (next - 1) / WORD_BYTES {
            return object("crosses a word of eight bytes");
        }
        let is_jump = instruction.mnemonic() == jump && instruction.numbers().next() == Some(self.target);
        // On x86, the assembler emits jumps, and boot turns them into nops.
        let is_nop = instruction.mnemonic() == "nop" && jump != "jmp";
        if is_jump || is_nop { None } else { object("is neither its jump nor a nop") }
    }
}

/// The rows between the symbols of the linker script.
fn sites(elf: &Elf<'_>) -> Outcome<Vec<Site>> {
    let symbols = Symbols::parse(elf).context(|| "symbols".to_owned())?;
    let start = symbols.address("__start_limen_key_sites")?;
    let length = symbols.address("__stop_limen_key_sites")?.saturating_sub(start);
    let table = bytes(elf, start, length).filter(|table| !table.is_empty());
    let table = table.ok_or_else(|| Failure::new("there are no sites of static keys"))?;
    let distance = |row: &[u8]| row.first_chunk().map(|bytes| i64::from(i32::from_le_bytes(*bytes)));
    let rows = (start..).step_by(ROW_BYTES).zip(table.chunks(ROW_BYTES));
    let site = |(at, row): (u64, &[u8])| {
        let address = at.wrapping_add_signed(distance(row)?);
        Some(Site { address, target: at.wrapping_add(4).wrapping_add_signed(distance(row.get(4..)?)?) })
    };
    Ok(rows.filter_map(site).collect())
}

/// Bytes of the file by their address in memory.
fn bytes<'a>(elf: &Elf<'a>, address: u64, length: u64) -> Option<&'a [u8]> {
    elf.sections().find_map(|section| section.data_range(address, length).ok()?)
}

#[cfg(test)]
mod tests {
    use object::SymbolKind;

    use super::*;
    use crate::check::symbols::tests::object;

    /// The objection to one site in this code, which an instruction follows.
    fn objection(code: &[u8], listing: &str, site: Site, architecture: &str) -> Option<String> {
        let file = object(code, &[]);
        let instructions = instructions(listing).map(|found| (found.address, found)).collect();
        site.objection(&Elf::parse(&*file).unwrap(), &instructions, architecture)
    }

    fn at_16(listing: &str, architecture: &str) -> Option<String> {
        objection(&[0; 32], listing, Site { address: 0x10, target: 0x18 }, architecture)
    }

    #[test]
    fn nops_and_jumps_of_the_right_form_pass() {
        assert_eq!(at_16("10:\tnop\n14:\tret", "aarch64"), None);
        assert_eq!(at_16("10:\tb\t0x18 <out+0x8>\n14:\tret", "aarch64"), None);
        assert_eq!(at_16("10:\tnop\n14:\tret", "riscv64"), None);
        assert_eq!(at_16("10:\tjmp\t0x18 <out>\n12:\tret", "x86_64"), None);
    }

    #[test]
    fn a_site_may_start_with_prefixes() {
        let listing = "1e: \tjmp\t0x2b9 <out>\n25:\tret";
        let site = Site { address: 0x20, target: 0x2b9 };
        let mut code = [0; 64];
        code[0x1e..0x20].fill(FILLER);
        assert_eq!(objection(&code, listing, site, "x86_64"), None);
        let inside = Some("the site at 0x20 is not the start of an instruction".to_owned());
        assert_eq!(objection(&[0; 64], listing, site, "x86_64"), inside);
        let across = Some("the site at 0x1e crosses a word of eight bytes".to_owned());
        let site = Site { address: 0x1e, target: 0x2b7 };
        assert_eq!(objection(&code, "1e:\tjmp\t0x2b7\n23:\tret", site, "x86_64"), across);
    }

    #[test]
    fn other_instructions_are_found() {
        let neither = Some("the site at 0x10 is neither its jump nor a nop".to_owned());
        assert_eq!(at_16("10:\tbl\t0x18\n14:\tret", "aarch64"), neither);
        assert_eq!(at_16("10:\tb\t0x1c\n14:\tret", "aarch64"), neither);
        assert_eq!(at_16("10:\tnop\n12:\tret", "x86_64"), neither);
        let inside = Some("the site at 0x10 is not the start of an instruction".to_owned());
        assert_eq!(at_16("e:\tnop\n12:\tret", "aarch64"), inside);
        let length = Some("the site at 0x10 has the wrong length".to_owned());
        assert_eq!(at_16("10:\tnop\n12:\tret", "riscv64"), length);
        assert_eq!(at_16("10:\tnop", "riscv64"), length);
        assert_eq!(at_16("", "riscv64"), Some("the site at 0x10 is not in code".to_owned()));
    }

    #[test]
    fn sites_are_read_from_the_table() {
        let row: Vec<u8> = [-4_i32, 12, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let read = |stop| {
            let ends = [("__start_limen_key_sites", 0x10), ("__stop_limen_key_sites", stop)];
            let symbols = ends.map(|(name, at)| (name, at, SymbolKind::Label));
            sites(&Elf::parse(&*object(&row.repeat(3), &symbols)).unwrap())
        };
        assert_eq!(read(0x20).unwrap(), [Site { address: 0xc, target: 0x20 }]);
        assert!([0x10, 8, 0x1000].into_iter().all(|stop| read(stop).is_err()));
    }
}
