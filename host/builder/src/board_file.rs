//! Board files: one TOML file per board holds its facts.
//!
//! A file is `host/builder/boards/<name>.toml` in the source tree and `board/<name>/<config>/board.toml` in the SDK.
//! [`Board::load`] checks it, so that the rest of the builder can rely on its ranges.

use std::path::Path;

use limen_sdf::Diagnostic;

use crate::board::Board;
use crate::board_rules;
use crate::code;
use crate::error::{Context, error};
use crate::files;
use crate::system_file::INCOMPLETE_SDK;

/// Most bytes of a board file.
const MAX_BYTES: u64 = 1 << 20;

impl Board {
    /// Reads a board file.
    ///
    /// # Errors
    /// The file cannot be read or has invalid facts.
    pub fn load(path: &Path) -> Result<Self, Diagnostic> {
        let name = path.display();
        let text = files::read_text(path, MAX_BYTES).map_err(|e| {
            error(code::BOARD_FILE, format!("Error: the board file '{name}' cannot be read: {e}"))
                .help(INCOMPLETE_SDK)
        })?;
        Self::parse(&text).map_err(|reason| {
            error(code::BOARD_FILE, format!("Error: the board file '{name}' is not usable: {reason}"))
                .help("Correct the file if the board is yours; otherwise build or install the SDK again.")
        })
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let board: Self = toml::from_str(text).map_err(|e| e.to_string().trim_end().to_owned())?;
        board_rules::check(&board)?;
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const VIRT: &str = include_str!("../boards/qemu_virt_aarch64.toml");

    #[test]
    fn every_board_of_the_source_tree_is_usable() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("boards");
        let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let mut count = 0;
        for path in paths {
            let board = Board::load(&path).unwrap();
            assert_eq!(path.file_stem().unwrap(), board.name.as_str());
            assert!(board.qemu.iter().any(|word| word.contains("{image}")));
            count += 1;
        }
        assert!(count > 0, "no boards");
    }

    /// QEMU's machine has the same memory and devices at either level; only EL2 takes secure monitor calls.
    #[test]
    fn the_entry_level_changes_no_fact_of_the_machine() {
        let el1 = Board::parse(include_str!("../boards/qemu_virt_aarch64_el1.toml")).unwrap();
        let el2 = Board::parse(VIRT).unwrap();
        assert_eq!((el1.smc, el2.smc), (false, true));
        let Board { name, aliases, qemu, .. } = el1.clone();
        assert_eq!(el1, Board { name, aliases, qemu, smc: false, ..el2 });
    }

    #[test]
    fn rules_depend_on_the_interrupt_controller() {
        let riscv = include_str!("../boards/qemu_virt_riscv64.toml");
        let pc = include_str!("../boards/x86_64_generic.toml");
        for (text, from, to, reason) in [
            (riscv, "0x0c20_1000", "0x0c00_1000", "contexts"),
            (riscv, "interrupt = 0", "interrupt = 1", "timer.interrupt is not between 0 and 0"),
            (riscv, "lines = 96", "lines = 1025", "lines is not between 1 and 1024"),
            (pc, "lines = 24", "lines = 121", "lines is not between 1 and 120"),
            (pc, "interrupt = 0xef", "interrupt = 0x20", "timer.interrupt is not between 48 and 254"),
        ] {
            let message = Board::parse(&text.replacen(from, to, 1)).unwrap_err();
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn impossible_facts_are_refused() {
        for (from, to, reason) in [
            ("0x7000_0000", "0x3000_0000", "loader_address"),
            ("end = 0xc000_0000", "end = 0x3000_0000", "not a range of pages"),
            (
                "[pinned]",
                "[[ram]]\nstart = 0xc000_1000\nend = 0xc000_2000\n[[ram]]\nstart = 0xc000_3000\nend = 0xc000_4000\n\
                 [[ram]]\nstart = 0xc000_5000\nend = 0xc000_6000\n[[ram]]\nstart = 0xc000_7000\nend = 0xc000_8000\n\
                 [pinned]",
                "more than 4 ranges of RAM",
            ),
            ("0xff_ffff_ffff", "0x7fff_ffff_ffff", "user_top is not 0xffffffffff"),
            ("address_bits = 40", "address_bits = 49", "address_bits is not between 32 and 48"),
            ("address_bits = 40", "address_bits = 31", "address_bits is not between 32 and 48"),
            ("end = 0xc000_0000", "end = 0x100_0000_1000", "not a range of pages"),
            ("0x0900_0000", "0x0900_0004", "serial.paddr"),
            ("0x0801_0000", "0x100_0000_0000", "interrupt_controller.cpu_paddr"),
            ("lines = 288", "lines = 1021", "lines is not between 1 and 1020"),
            ("lines = 288", "lines = 0", "lines is not between 1 and 1020"),
            ("interrupt = 27", "interrupt = 33", "timer.interrupt is not between 16 and 31"),
            ("pl011", "pl012", "unknown variant"),
            ("\"aarch64\"", "\"arm\"", "unknown architecture"),
            ("processors = 4", "processors = 0", "processors is not between 1 and 4"),
            ("processors = 4", "processors = 5", "processors is not between 1 and 4"),
            ("[timer]", "[clock]", "unknown field"),
        ] {
            let message = Board::parse(&VIRT.replacen(from, to, 1)).unwrap_err();
            assert!(message.contains(reason), "{message}");
        }
    }
}
