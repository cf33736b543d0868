//! Unusual boots: what the kernel prints if boot takes another path or cannot continue.
//!
//! Each case boots a modified system and waits for one line on the console.

use std::path::{Path, PathBuf};

use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::Project;
use crate::run::qemu::Session;
use crate::shell::files;
use crate::workspace::Workspace;

/// An unusual boot.
#[derive(Debug)]
pub struct Case {
    /// The difference from a usual boot.
    name: &'static str,
    /// The folder of the system.
    system: &'static str,
    /// The configuration. In release, the kernel prints only why it stops.
    pub config: &'static str,
    /// The only instruction set with this case; `None` for all.
    architecture: Option<&'static str>,
    /// Whether the boot image is damaged.
    damaged: bool,
    /// Arguments added to the emulator's.
    pub arguments: &'static [&'static str],
    /// A command for the emulator's monitor when the system has printed its first test.
    pub event: Option<&'static str>,
    /// Text that a line of the console must contain.
    line: &'static str,
}

/// Every case.
pub const CASES: [Case; 13] = [
    Case {
        name: "damaged_image",
        system: "examples/hello",
        config: "release",
        architecture: None,
        damaged: true,
        arguments: &[],
        event: None,
        line: "The kernel stopped: the boot image is refused: ",
    },
    Case {
        name: "missing_processor",
        system: "tests/processors",
        config: "smp-release",
        architecture: None,
        damaged: false,
        arguments: &["-smp", "2"],
        event: None,
        line: "does not start: the machine has no such processor",
    },
    // The system runs for seconds after its first test.
    Case {
        name: "machine_check_on_another_processor",
        system: "tests/domains_elsewhere",
        config: "smp-release",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &[],
        event: Some("mce 1 9 0xbe00000000000000 5 0 0"),
        line: " took exception 18, ",
    },
    // RAM above 4 GiB ends in the middle of the region.
    Case {
        name: "region_across_ram",
        system: "tests/high_memory",
        config: "release",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-m", "1346M", "-machine", "pc,max-ram-below-4g=64M"],
        event: None,
        line: "The kernel stopped: the boot image is refused: memory region 'fixed' [0x150000000..0x150400000) lies only \
               partly in RAM",
    },
    Case {
        name: "far_region",
        system: "tests/far_memory",
        config: "release",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &[],
        event: None,
        line: "The kernel stopped: the boot image is refused: memory region 'far' [0x10000000000..0x10000001000) is beyond the \
               physical addresses of this processor, which end at 0x10000000000",
    },
    // The ACPI tables are at the end of RAM, in the region's memory.
    Case {
        name: "region_in_firmware",
        system: "tests/compat_dma",
        config: "debug",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-m", "1534M"],
        event: None,
        line: "memory region 'rings' [0x5fdf0000..0x5fe00000) overlaps memory that is kept for the firmware",
    },
    Case {
        name: "prefilled_device",
        system: "tests/compat_dma",
        config: "release",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-m", "1G"],
        event: None,
        line: "memory region 'letter' [0x6ffdf000..0x6ffe0000) is a device here",
    },
    Case {
        name: "no_64_bit_mode",
        system: "examples/hello",
        config: "release",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-cpu", "qemu32"],
        event: None,
        line: "The kernel stopped: the processor must have 64-bit mode",
    },
    Case {
        name: "no_fsgsbase",
        system: "examples/hello",
        config: "release",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-cpu", "qemu64"],
        event: None,
        line: "The kernel stopped: the processor has no instructions for the bases of fs and gs",
    },
    Case {
        name: "no_aes",
        system: "tests/seals_aes",
        config: "release",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-cpu", "qemu64,+fsgsbase,+pdpe1gb"],
        event: None,
        line: "The kernel stopped: a seal uses aes_256_gcm, for which this processor has no instructions",
    },
    Case {
        name: "meltdown",
        system: "examples/hello",
        config: "debug",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-cpu", "Haswell"],
        event: None,
        line: "page tables are switched at kernel entry",
    },
    // A program reads the kernel's code: the processor reports an unmapped page.
    Case {
        name: "kernel_not_mapped",
        system: "tests/faults_monitor",
        config: "debug",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-append", "page_table_switch=on"],
        event: None,
        line: "fault_addr=0xffffffff80030000  fsr=0x0000000000000004",
    },
    Case {
        name: "unknown_word",
        system: "examples/hello",
        config: "debug",
        architecture: Some("x86_64"),
        damaged: false,
        arguments: &["-append", "page_table_switch=perhaps"],
        event: None,
        line: "the command line's 'page_table_switch=perhaps' means nothing",
    },
];

impl Case {
    /// The name of the boot, for display and filters.
    pub fn title(&self) -> String {
        format!("boot/{}", self.name)
    }

    /// The system to boot; `None` if the board does not have the case.
    pub fn project(&self, workspace: &Workspace, board: &Board) -> Option<Project> {
        let has = self.architecture.is_none_or(|architecture| architecture == board.architecture);
        let (name, folder) = (self.title(), workspace.path(self.system));
        has.then_some(Project { name, folder })
    }

    /// The boot image of the case, made from the usual one, in the same folder.
    ///
    /// # Errors
    /// When a file cannot be read or written, or has no boot image.
    pub fn image(&self, usual: &Path) -> Outcome<PathBuf> {
        if !self.damaged {
            return Ok(usual.to_path_buf());
        }
        let mut bytes = std::fs::read(usual).context(|| format!("cannot read {}", usual.display()))?;
        damage(&mut bytes)?;
        let damaged = usual.with_file_name("damaged.img");
        files::write(&damaged, bytes)?;
        Ok(damaged)
    }

    /// Whether the event is due at this line.
    pub fn is_due(line: &str) -> bool {
        line.starts_with("TEST ")
    }

    /// Whether this line contains the expected text.
    pub fn is_seen(&self, line: &str) -> bool {
        line.contains(self.line)
    }

    /// The outcome of the run.
    ///
    /// # Errors
    /// When it ended without the line.
    pub fn judge(&self, session: &Session) -> Outcome {
        if session.lines.iter().any(|line| self.is_seen(line)) {
            return Ok(());
        }
        session.ending.outcome()?;
        Err(Failure::new(format!("the console lacks: {}", self.line)))
    }
}

/// Changes the checksum of the boot image.
fn damage(bytes: &mut [u8]) -> Outcome {
    const MAGIC: &[u8] = b"LIMENIMG";
    /// Offset of the checksum in the image.
    const CHECKSUM: usize = 5 * 8;
    let start = bytes.windows(MAGIC.len()).position(|window| window == MAGIC);
    let byte = start.and_then(|start| bytes.get_mut(start + CHECKSUM));
    *byte.ok_or_else(|| Failure::new("there is no boot image in the file"))? ^= 1;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_changes_one_byte_of_the_image() {
        let mut bytes = [&[0; 8][..], b"LIMENIMG", &[7; 300]].concat();
        damage(&mut bytes).unwrap();
        assert_eq!(bytes[8 + 5 * 8], 6);
        assert_eq!(bytes.iter().filter(|byte| **byte == 6).count(), 1);
        assert!(damage(&mut [0; 400]).is_err());
    }
}
