//! A program in two files: a stripped image, and the file with its symbols.
//!
//! Strippers also drop sections that are not loaded, so the tables in these come from the file with the symbols if the image
//! lacks them. Both files must be of one build: everything in the second one is about addresses in the first one.

use crate::elf::{ElfFile, ElfSegment};

/// The image with symbols and missing tables of its other file.
///
/// # Errors
/// Why the files are not of the same build.
pub(crate) fn join(image: ElfFile, symbols: ElfFile) -> Result<ElfFile, String> {
    match (&image.build_id, &symbols.build_id) {
        (Some(own), Some(other)) if own == other => {}
        (Some(own), Some(other)) => {
            return Err(format!("the build ids are {} and {}", hexadecimal(own), hexadecimal(other)));
        }
        _ => compare(&image, &symbols)?,
    }
    Ok(ElfFile {
        symbols: symbols.symbols,
        key_sites: image.key_sites.or(symbols.key_sites),
        reads_keys: image.reads_keys.or(symbols.reads_keys),
        ..image
    })
}

fn hexadecimal(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares the loaded parts of two files. A file of symbols only has the addresses of its segments, but not their contents.
fn compare(image: &ElfFile, symbols: &ElfFile) -> Result<(), String> {
    if image.entry != symbols.entry {
        return Err(format!("the entry points are 0x{:x} and 0x{:x}", image.entry, symbols.entry));
    }
    let place = |segment: &ElfSegment| (segment.vaddr, segment.end());
    if !image.segments.iter().map(place).eq(symbols.segments.iter().map(place)) {
        return Err("their segments have other addresses or sizes".to_owned());
    }
    for (own, other) in image.segments.iter().zip(&symbols.segments) {
        let differs = (0..).zip(own.data.iter().zip(&other.data)).find(|(_, (own, other))| own != other);
        if let Some((offset, _)) = differs {
            return Err(format!("the bytes at 0x{:x} differ", own.vaddr + offset));
        }
        if !other.data.is_empty() && own.data.len() != other.data.len() {
            return Err(format!("the segments at 0x{:x} have different contents", own.vaddr));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_elf::TestElf;
    use crate::test_system::elf_file;

    fn joined(image: &TestElf, symbols: &TestElf) -> Result<ElfFile, String> {
        join(elf_file(image), elf_file(symbols))
    }

    fn with_id(build_id: &'static [u8]) -> TestElf {
        TestElf { build_id: Some(build_id), ..TestElf::program() }
    }

    #[test]
    fn a_stripped_image_gets_symbols_and_tables() {
        let full = TestElf { reads_keys: true, ..TestElf::program().with_branches(2) };
        let stripped = elf_file(&full.clone().stripped());
        assert_eq!((&stripped.key_sites, stripped.reads_keys), (&None, None));
        assert_eq!(joined(&full.clone().stripped(), &full), Ok(elf_file(&full)));
    }

    #[test]
    fn a_file_of_symbols_only_has_no_contents() {
        let full = TestElf::program();
        let mut symbols = full.clone();
        symbols.segments.iter_mut().for_each(|segment| segment.data.clear());
        assert_eq!(joined(&full.clone().stripped(), &symbols), Ok(elf_file(&full)));
    }

    #[test]
    fn files_of_different_builds_are_refused() {
        let program = TestElf::program();
        let mut other = program.clone();
        other.segments[1].data[0x10] = 0;
        assert_eq!(joined(&program, &other), Err("the bytes at 0x201010 differ".to_owned()));
        other.segments[1].data.truncate(0x10);
        assert_eq!(
            joined(&program, &other),
            Err("the segments at 0x201000 have different contents".to_owned())
        );
        other.segments[1].vaddr += 8;
        assert_eq!(joined(&program, &other), Err("their segments have other addresses or sizes".to_owned()));
        assert_eq!(
            joined(&program, &TestElf { entry: 0x20_0004, ..program.clone() }),
            Err("the entry points are 0x200000 and 0x200004".to_owned())
        );
    }

    #[test]
    fn build_ids_decide_if_both_files_have_one() {
        let [one, two] = [with_id(&[0xab, 1]), with_id(&[0xab, 2])];
        assert_eq!(joined(&one, &two), Err("the build ids are ab01 and ab02".to_owned()));
        assert!(joined(&one, &TestElf::program()).is_ok());
        // A tool may change data after linking.
        let mut changed = one.clone();
        changed.segments[1].data[0x10] = 0;
        assert!(joined(&changed.stripped(), &one).is_ok());
    }
}
