//! Checks of `./x check` on boot code, which the kernel unmaps after boot: no code that stays refers to it. The same
//! for the invariant checks, which are unmapped unless an image can turn them on; they are entered by two functions
//! only.
//!
//! The linker script selects both by function names. Code outside of boot code that only boot calls may refer to it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use crate::check::symbols::Symbols;
use crate::failure::{Failure, Outcome};
use crate::shell::process;

/// The linker script's symbols for the start and end of boot code.
pub const BOOT: [&str; 2] = ["__boot_start", "__boot_end"];
/// The same for the invariant checks.
pub const CHECKS: [&str; 2] = ["__boot_end", "__check_end"];
/// The same for the code that stays.
pub const STAYING: [&str; 2] = ["__text_start", "__text_last"];

/// The entry points of the checks, which code that stays calls behind a static key.
const CHECKED: [&str; 2] = ["limen_platform::kernel_cell::check::", "limen_entry::entry::enter_checked::"];

/// Whether the invariant checks stay mapped after boot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checks {
    /// They stay, because the image can turn them on.
    Stay,
    /// They are unmapped with boot code.
    Go,
}

/// The size in bytes of the kernel's code that stays mapped after boot.
///
/// # Errors
/// When the file is not a kernel, or cannot be read.
pub fn staying_bytes(kernel: &Path, checks: Checks) -> Outcome<u64> {
    let symbols = Symbols::of(kernel)?;
    let bytes = |ends| range(&symbols, ends).map(|range| range.end - range.start);
    Ok(bytes(STAYING)? + if checks == Checks::Stay { bytes(CHECKS)? } else { 0 })
}

/// Checks that no function that stays mapped refers to boot code, or to the invariant checks except at their entry
/// points.
///
/// # Errors
/// When some do (the failure names them), or the file cannot be disassembled.
pub fn is_left_alone(kernel: &Path) -> Outcome {
    let symbols = Symbols::of(kernel)?;
    let listing = process::capture(
        Command::new("llvm-objdump").args(["-d", "--no-show-raw-insn", "--demangle"]).arg(kernel),
    )?;
    for (what, ends, entered) in [("boot", BOOT, &[][..]), ("the checks", CHECKS, &CHECKED)] {
        match objections(&listing, &range(&symbols, ends)?, entered) {
            Some(found) if found.is_empty() => (),
            Some(found) => return Err(Failure::new(format!("{}: {}", kernel.display(), found.join("; ")))),
            None => return Err(Failure::new(format!("{} has no code of {what}", kernel.display()))),
        }
    }
    Ok(())
}

fn range(symbols: &Symbols, [start, end]: [&str; 2]) -> Outcome<Range<u64>> {
    Ok(symbols.address(start)?..symbols.address(end)?)
}

/// `None` if the range has no code. References to functions with these names are allowed.
fn objections(listing: &str, code: &Range<u64>, entered: &[&str]) -> Option<Vec<String>> {
    let (names, references) = read(listing);
    let mut leaving: BTreeSet<u64> = names.range(code.clone()).map(|(address, _)| *address).collect();
    if leaving.is_empty() {
        return None;
    }
    let mut referring: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for (from, to) in &references {
        referring.entry(*to).or_default().insert(*from);
    }
    // A function that only unmapped functions refer to is not called after boot either.
    while let Some(next) = referring
        .iter()
        .find(|(function, from)| !leaving.contains(*function) && from.is_subset(&leaving))
        .map(|(function, _)| *function)
    {
        leaving.insert(next);
    }
    let is_entered = |to: u64| entered.iter().any(|name| names[&to].contains(name));
    let wrong = references
        .iter()
        .filter(|(from, to)| code.contains(to) && !leaving.contains(from) && !is_entered(*to));
    Some(
        wrong
            .map(|(from, to)| format!("{} stays mapped, but refers to {}", names[from], names[to]))
            .collect(),
    )
}

/// The functions of a listing by address, and the references between them.
fn read(listing: &str) -> (BTreeMap<u64, &str>, BTreeSet<(u64, u64)>) {
    let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let mut names = BTreeMap::new();
    let mut found = Vec::new();
    let mut current = None;
    for line in listing.lines() {
        if let Some((address, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            current = number(address);
            names.extend(current.map(|address| (address, name)));
        } else if let (Some(from), Some((_, operands))) =
            (current, line.split_once(":\t").or(line.split_once(": ")))
        {
            let numbers = operands.split("0x").skip(1);
            let digits =
                numbers.map(|rest| rest.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or(rest));
            found.extend(digits.filter_map(number).map(|to| (from, to)));
        }
    }
    let function = |address: u64| names.range(..=address).next_back().map(|(start, _)| *start);
    let pairs = found.into_iter().filter_map(|(from, to)| Some((from, function(to)?)));
    let others = pairs.filter(|(from, to)| from != to).collect();
    (names, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
ffffffff80000000 <boot::start>:
ffffffff80000000: \tbl\t0xffffffff80001000 <map>
ffffffff80000004: \tb\t0xffffffff80001010 <leave>
ffffffff80000008 <boot::table>:
ffffffff80001000 <map>:
ffffffff80001000:\tb\t0xffffffff80000008 <boot::table>
ffffffff80001010 <leave>:
ffffffff80001010:\tret
ffffffff80001020 <trap>:
ffffffff80001020: \tb\t0xffffffff80001010 <leave>
";

    const CODE: Range<u64> = 0xffff_ffff_8000_0000..0xffff_ffff_8000_1000;

    #[test]
    fn functions_that_only_boot_calls_may_refer_to_it() {
        assert_eq!(objections(LISTING, &CODE, &[]), Some(Vec::new()));
        assert_eq!(objections(LISTING, &(0..1), &[]), None);
    }

    #[test]
    fn a_staying_function_that_refers_to_boot_is_named() {
        let listing = LISTING.replace("0xffffffff80001010 <leave>", "0xffffffff80000008 <boot::table>");
        assert_eq!(
            objections(&listing, &CODE, &[]),
            Some(vec!["trap stays mapped, but refers to boot::table".to_owned()])
        );
        assert_eq!(objections(&listing, &CODE, &["boot::table"]), Some(Vec::new()));
    }
}
