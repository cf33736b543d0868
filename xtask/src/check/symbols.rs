//! The symbols of a linked file: addresses of functions, and functions at addresses.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

use crate::check::binary::{self, Elf};
use crate::failure::{Failure, Outcome};

/// The symbols of a file by address.
#[derive(Default)]
pub struct Symbols {
    functions: BTreeMap<u64, String>,
    addresses: BTreeMap<String, u64>,
}

impl Symbols {
    /// The symbols of a file with their mangled names.
    ///
    /// # Errors
    /// When the file has no functions, or cannot be read.
    pub fn of(file: &Path) -> Outcome<Self> {
        let symbols = binary::read(file, Self::parse)?.pop();
        let symbols = symbols.filter(|symbols| !symbols.functions.is_empty());
        symbols.ok_or_else(|| Failure::new(format!("{} has no functions", file.display())))
    }

    /// The symbols of a file, its functions with readable names: `limen_core::fast::call::serve_call`.
    ///
    /// # Errors
    /// When the file has no functions, or cannot be read.
    pub fn readable(file: &Path) -> Outcome<Self> {
        let mut symbols = Self::of(file)?;
        symbols.functions.values_mut().for_each(|name| *name = readable(name));
        Ok(symbols)
    }

    /// The symbols of a parsed file, which may have none.
    ///
    /// # Errors
    /// When its tables are damaged.
    pub fn parse(elf: &Elf<'_>) -> object::Result<Self> {
        let named = |kind| kind != SymbolKind::File && kind != SymbolKind::Section;
        let defined = elf.symbols().filter(|symbol| !symbol.is_undefined() && named(symbol.kind()));
        let mut all =
            defined.map(|symbol| Ok((symbol.name()?, symbol))).collect::<object::Result<Vec<_>>>()?;
        // Of several names at one address the last one counts: that of a function, and not one that depends on the
        // order in the file.
        all.sort_by_key(|(name, symbol)| (symbol.kind() == SymbolKind::Text, *name));
        let mut symbols = Self::default();
        for (name, symbol) in all {
            let section = symbol.section_index().map(|index| elf.section_by_index(index)).transpose()?;
            let is_code = section.is_some_and(|section| section.kind() == SectionKind::Text);
            // Labels inside functions and the assembler's mapping symbols are not functions.
            if is_code && !name.starts_with(['.', '$']) {
                symbols.functions.insert(symbol.address(), name.to_owned());
            }
            symbols.addresses.insert(name.to_owned(), symbol.address());
        }
        Ok(symbols)
    }

    /// Every symbol with its value.
    pub fn values(&self) -> impl Iterator<Item = (&str, u64)> {
        self.addresses.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The address of a symbol.
    ///
    /// # Errors
    /// When no symbol has this name.
    pub fn address(&self, name: &str) -> Outcome<u64> {
        let address = self.addresses.get(name).copied();
        address.ok_or_else(|| Failure::new(format!("there is no symbol '{name}'")))
    }

    /// The start of the function at an address: of the last one that starts at or before it.
    pub fn start_of(&self, address: u64) -> Option<u64> {
        self.functions.range(..=address).next_back().map(|(start, _)| *start)
    }

    /// The name of the function at an address.
    pub fn function_at(&self, address: u64) -> &str {
        self.start_of(address).map_or("?", |start| &self.functions[&start])
    }

    /// The addresses from the start of a function to that of the next one.
    ///
    /// # Errors
    /// When no function has this name, or it is the last one.
    pub fn range(&self, name: &str) -> Outcome<Range<u64>> {
        let start = self.address(name)?;
        let next = self.functions.range(start.saturating_add(1)..).next();
        let (end, _) = next.ok_or_else(|| Failure::new(format!("no function follows '{name}'")))?;
        Ok(start..*end)
    }

    /// Each function with the addresses up to the next one; without the last.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Range<u64>)> {
        let ends = self.functions.keys().skip(1);
        self.functions.iter().zip(ends).map(|((start, name), end)| (name.as_str(), *start..*end))
    }
}

/// The name in the source, without a hash that changes with every build, and without the implementing type.
pub fn readable(name: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(name));
    let Some((path, implementation)) = name.split_once("<impl ") else { return name };
    match implementation.split_once(">::") {
        Some((_, item)) => format!("{path}{item}"),
        None => name,
    }
}

#[cfg(test)]
pub mod tests {
    use object::write::{Object, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolScope};

    use super::*;

    /// An object file whose code is these bytes at address 0, with these symbols.
    pub fn object(code: &[u8], symbols: &[(&str, u64, SymbolKind)]) -> Vec<u8> {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::Riscv64, Endianness::Little);
        let text = object.section_id(object::write::StandardSection::Text);
        object.append_section_data(text, code, 8);
        for (name, value, kind) in symbols {
            object.add_symbol(Symbol {
                name: name.as_bytes().to_vec(),
                value: *value,
                size: 0,
                kind: *kind,
                scope: SymbolScope::Compilation,
                weak: false,
                section: match kind {
                    SymbolKind::Data => SymbolSection::Absolute,
                    _ => SymbolSection::Section(text),
                },
                flags: SymbolFlags::None,
            });
        }
        object.write().unwrap()
    }

    /// Functions at these addresses.
    pub fn functions(list: &[(&str, u64)]) -> Symbols {
        let symbols: Vec<_> = list.iter().map(|(name, at)| (*name, *at, SymbolKind::Text)).collect();
        Symbols::parse(&Elf::parse(&*object(&[0; 64], &symbols)).unwrap()).unwrap()
    }

    #[test]
    fn names_are_those_of_the_source() {
        let name = "_ZN10limen_core4fast4call53_$LT$impl$u20$limen_core..kernel..Kernel$LT$M$GT$$GT$10serve_call17h1db02c303192756fE";
        assert_eq!(readable(name), "limen_core::fast::call::serve_call");
        for other in ["trap_vectors", "_ZN", "_ZN9short"] {
            assert_eq!(readable(other), other);
        }
    }

    #[test]
    fn an_address_belongs_to_the_function_that_starts_before_it() {
        let kinds = [
            ("one", 0x10, SymbolKind::Text),
            ("two", 0x20, SymbolKind::Text),
            ("two_starts", 0x20, SymbolKind::Label),
            (".Llabel", 0x18, SymbolKind::Label),
            ("data", 0x18, SymbolKind::Data),
        ];
        let symbols = Symbols::parse(&Elf::parse(&*object(&[0; 64], &kinds)).unwrap()).unwrap();
        assert_eq!(symbols.function_at(0x1f), "one");
        assert_eq!(symbols.function_at(0x20), "two");
        assert_eq!(symbols.function_at(0xf), "?");
        assert_eq!(symbols.address("data").unwrap(), 0x18);
        assert!(symbols.address("three").is_err());
        assert_eq!(symbols.functions().collect::<Vec<_>>(), [("one", 0x10..0x20)]);
    }
}
