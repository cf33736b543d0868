//! Systems for tests: descriptions as text, programs as small ELF files.

use std::path::Path;
use std::sync::Arc;

use limen_sdf::{Architecture, FileError, SystemDescription, Target};

use crate::board::Board;
use crate::build::Built;
use crate::config::Config;
use crate::elf::ElfFile;
use crate::image_type::ImageType;
use crate::parts::Parts;
use crate::program::Program;
use crate::system_file::{Kernel, Loader};
use crate::test_elf::TestElf;

/// A parent with a child, a passive server that both may call, and a region that two of them map.
pub(crate) const FAMILY: &str = r#"
<system>
    <memory_region name="shared" size="0x200000" />
    <memory_region name="uart" size="0x1000" phys_addr="0x9000000" />
    <protection_domain name="parent" priority="20" budget="100" period="400">
        <program_image path="p" />
        <map mr="shared" vaddr="0x400000" setvar_vaddr="word" />
        <map mr="uart" vaddr="0x1000000" perms="r" cached="false" />
        <protection_domain name="child" id="7" priority="5" setvar_id="zero_word">
            <program_image path="p" />
            <map mr="shared" vaddr="0x800000" perms="r" setvar_size="word" />
        </protection_domain>
    </protection_domain>
    <protection_domain name="server" priority="30" passive="true">
        <program_image path="p" />
        <setvar symbol="zero_word" region_paddr="shared" />
    </protection_domain>
    <channel><end pd="parent" id="1" pp="true" /><end pd="server" id="2" notify="false" /></channel>
    <channel><end pd="child" id="3" /><end pd="server" id="4" setvar_id="word" /></channel>
</system>"#;

/// The first board.
pub(crate) fn board() -> Board {
    Board::parse(include_str!("../boards/qemu_virt_aarch64.toml")).unwrap()
}

pub(crate) fn system(text: &str) -> SystemDescription {
    system_for(text, &Target::aarch64())
}

fn system_for(text: &str, target: &Target) -> SystemDescription {
    limen_sdf::parse("test.system", text, target, &prefill).unwrap().system
}

/// The only file that descriptions may name, `f`: a page and a half of sevens.
fn prefill(path: &str, _: u64) -> Result<Arc<[u8]>, FileError> {
    if path == "f" { Ok([7; 0x1800].into()) } else { Err(FileError::NotFound) }
}

pub(crate) fn elf_file(elf: &TestElf) -> ElfFile {
    ElfFile::parse(&elf.bytes(), Architecture::Aarch64).unwrap()
}

pub(crate) fn program(name: &str, elf: &TestElf) -> Program {
    Program::from_elf(name, Path::new("p"), elf_file(elf)).unwrap()
}

/// The inputs of an image; every protection domain runs [`TestElf::program`].
pub(crate) fn parts(text: &str, config: &str) -> Parts {
    let (board, config) = (board(), Config::new(config));
    let system = system_for(text, &board.target(&config));
    let domains = system.protection_domains.iter();
    let programs = domains.map(|domain| program(&domain.name, &TestElf::program()));
    Parts {
        board,
        config,
        programs: programs.chain([program("monitor", &TestElf::monitor())]).collect(),
        loader: Some(Loader::from_elf(&elf_file(&TestElf::loader())).unwrap()),
        kernel: Kernel::from_elf(&elf_file(&TestElf::kernel())).unwrap(),
        system,
    }
}

pub(crate) fn built(text: &str) -> Built {
    parts(text, "debug").build(ImageType::Binary).unwrap()
}
