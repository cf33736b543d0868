//! The symbols of a linked file: addresses of functions, and functions at addresses.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::shell::process;

/// The symbols of a file by address.
#[derive(Default)]
pub struct Symbols {
    by_address: BTreeMap<u64, String>,
    addresses: BTreeMap<String, u64>,
}

impl Symbols {
    /// The symbols of a file with their mangled names.
    ///
    /// # Errors
    /// When the file has no symbols, or cannot be read.
    pub fn of(file: &Path) -> Outcome<Self> {
        Self::listed(file, &[])
    }

    /// The symbols of a file with readable names: `limen_core::fast::call::serve_call`.
    ///
    /// # Errors
    /// When the file has no symbols, or cannot be read.
    pub fn readable(file: &Path) -> Outcome<Self> {
        let mut symbols = Self::listed(file, &["--demangle"])?;
        symbols.by_address.values_mut().for_each(|name| *name = shortened(name));
        Ok(symbols)
    }

    fn listed(file: &Path, options: &[&str]) -> Outcome<Self> {
        let listing = process::capture(Command::new("llvm-nm").args(options).arg(file))?;
        let symbols = Self::parse(&listing);
        if symbols.by_address.is_empty() {
            return Err(Failure::new(format!("{} has no functions", file.display())));
        }
        Ok(symbols)
    }

    fn parse(listing: &str) -> Self {
        let (mut by_address, mut addresses) = (BTreeMap::new(), BTreeMap::new());
        for line in listing.lines() {
            let mut fields = line.splitn(3, ' ');
            let (Some(address), Some(kind), Some(name)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let Ok(address) = u64::from_str_radix(address, 16) else { continue };
            // Labels inside functions and the assembler's mapping symbols are not functions.
            if kind.eq_ignore_ascii_case("t") && !name.starts_with(['.', '$']) {
                by_address.insert(address, name.to_owned());
            }
            addresses.insert(name.to_owned(), address);
        }
        Self { by_address, addresses }
    }

    /// The address of a symbol.
    ///
    /// # Errors
    /// When no symbol has this name.
    pub fn address(&self, name: &str) -> Outcome<u64> {
        let address = self.addresses.get(name).copied();
        address.ok_or_else(|| Failure::new(format!("there is no symbol '{name}'")))
    }

    /// The function at an address: the last one that starts at or before it.
    pub fn function_at(&self, address: u64) -> &str {
        self.by_address.range(..=address).next_back().map_or("?", |(_, name)| name)
    }

    /// The addresses from the start of a function to that of the next one.
    ///
    /// # Errors
    /// When no function has this name, or it is the last one.
    pub fn range(&self, name: &str) -> Outcome<Range<u64>> {
        let start = self.address(name)?;
        let next = self.by_address.range(start + 1..).next();
        let (end, _) = next.ok_or_else(|| Failure::new(format!("no function follows '{name}'")))?;
        Ok(start..*end)
    }

    /// Each function with the addresses up to the next one; without the last.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Range<u64>)> {
        let ends = self.by_address.keys().skip(1);
        self.by_address.iter().zip(ends).map(|((start, name), end)| (name.as_str(), *start..*end))
    }
}

/// The name without the compiler's additions: the implementing type, and a hash that changes with every build.
fn shortened(name: &str) -> String {
    const IMPLEMENTATION: &str = "$LT$impl$u20$";
    let is_number = |part: &str| {
        part.strip_prefix('h')
            .is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let parts = name.split("::").filter(|part| !part.contains(IMPLEMENTATION) && !is_number(part));
    parts.collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        let name = "limen_core::fast::call::_$LT$impl$u20$limen_core..kernel..Kernel$LT$M$GT$$GT$::serve_call::h1db02c303192756f";
        assert_eq!(shortened(name), "limen_core::fast::call::serve_call");
        assert_eq!(shortened("trap_vectors"), "trap_vectors");
    }

    #[test]
    fn an_address_belongs_to_the_function_that_starts_before_it() {
        let symbols =
            Symbols::parse("0000000000000010 T one\n0000000000000020 t two\n0000000000000018 d data\n");
        assert_eq!(symbols.function_at(0x1f), "one");
        assert_eq!(symbols.function_at(0x20), "two");
        assert_eq!(symbols.function_at(0xf), "?");
        assert_eq!(symbols.address("data").unwrap(), 0x18);
        assert!(symbols.address("three").is_err());
        assert_eq!(symbols.functions().collect::<Vec<_>>(), [("one", 0x10..0x20)]);
    }
}
