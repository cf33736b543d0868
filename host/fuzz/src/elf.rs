//! The reader of program files: any file gives a program or an error, and every program satisfies the rules that the
//! builder relies on.

#[path = "../../builder/src/test_elf.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "shared with the builder's tests")]
mod test_elf;

use std::path::Path;

use limen_builder::Program;
use limen_builder::elf::ElfFile;
use limen_sdf::Architecture;
use test_elf::TestElf;

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "elf",
    seeds: || {
        let files = [TestElf::program(), TestElf::monitor(), TestElf::loader(), TestElf::kernel()];
        files.map(|file| file.bytes()).into()
    },
    words: &WORDS,
    try_input,
};

const WORDS: [&[u8]; 4] = [b"\x7fELF\x02\x01\x01\0", b"microkit_name\0", b".symtab\0", &[0xff; 8]];

/// Reads a program for each instruction set.
///
/// # Panics
/// When the reader accepts a program that the builder could not rely on.
pub fn try_input(bytes: &[u8]) {
    for architecture in [Architecture::Aarch64, Architecture::Riscv64, Architecture::X86_64] {
        let Ok(elf) = ElfFile::parse(bytes, architecture) else { continue };
        let mut end = 0;
        for segment in &elf.segments {
            assert!(segment.vaddr >= end && segment.memory_bytes > 0, "segments out of order");
            assert!(segment.data.len() as u64 <= segment.memory_bytes, "more in the file than in memory");
            end = segment.end();
        }
        if let Ok(program) = Program::from_elf("fuzz", Path::new("fuzz.elf"), elf) {
            let ordered = program.segments.is_sorted_by(|earlier, later| earlier.end <= later.start);
            assert!(ordered, "segments of a program share a page");
            assert!(program.segments.iter().any(|s| (s.start..s.end).contains(&program.entry)), "no entry");
        }
    }
}
