//! Counts kernel entries and changes of thread in parts of a run, as the emulator logs them. The system itself runs as
//! without it.
//!
//! `counted.txt` beside a Makefile names a program, a row, and the names of the two rows to add:
//!
//! ```text
//! program.elf load_rate load_entries load_switches
//! ```
//!
//! A part is what runs between `bench_count_from` and `bench_count_to` of the program
//! ([window.c](../../../bench/support/window.c)); the n-th has the parameters of the n-th row of that name.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use limen_report::Row;

use crate::bench::measure::CONFIG;
use crate::bench::trace;
use crate::check::symbols::Symbols;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::Project;
use crate::shell::files;
use crate::workspace::Workspace;

/// The counts that a system asks for.
pub struct Counted {
    row: String,
    names: [String; 2],
    places: Places,
    file: PathBuf,
    filter: String,
}

/// Addresses that the emulator logs, each the first one of a block.
struct Places {
    from: u64,
    to: u64,
    entries: Vec<u64>,
    returns: Vec<u64>,
    /// The register with the context of the thread to run, at a return; with what separates it from its value.
    register: &'static str,
}

/// An executed block.
#[derive(Clone, Copy)]
enum Block {
    From,
    To,
    Entry,
    Return,
}

/// Trap code by architecture: entries, as labels and offsets, and returns to programs.
struct TrapCode {
    entries: &'static [(&'static str, u64)],
    returns: &'static [&'static str],
    register: &'static str,
}

fn trap_code(architecture: &str) -> Option<TrapCode> {
    Some(match architecture {
        "aarch64" => TrapCode {
            entries: &[("trap_vectors", 0x80), ("trap_vectors", 0x400), ("trap_vectors", 0x480)],
            returns: &["trap_restore", "trap_run"],
            register: "X00=",
        },
        "riscv64" => {
            TrapCode { entries: &[("trap_entry", 0)], returns: &["trap_restore"], register: "x10/a0" }
        }
        "x86_64" => TrapCode {
            entries: &[("trap_syscall_plain", 0), ("interrupt_entry_plain", 0), ("trap_entry_plain", 0)],
            returns: &["syscall_return_plain", "trap_restore_plain"],
            register: "RAX=",
        },
        _ => return None,
    })
}

impl Counted {
    /// The counts that a system asks for; `None` for most.
    ///
    /// # Errors
    /// When `counted.txt` is malformed, or a symbol is missing.
    pub fn of(
        workspace: &Workspace,
        board: &Board,
        project: &Project,
        image: &Path,
    ) -> Outcome<Option<Self>> {
        let file = project.folder.join("counted.txt");
        if !file.exists() {
            return Ok(None);
        }
        let text = files::read(&file)?;
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        let (Ok([program, row, entries, switches]), Some(code)) =
            (<[String; 4]>::try_from(words), trap_code(&board.architecture))
        else {
            let name = workspace.display(&file);
            return Err(Failure::new(format!("{name}: name a program, its row, and two rows to add")));
        };
        let kernel = Symbols::of(&workspace.kernel(&board.name, CONFIG))?;
        let program = Symbols::of(&image.with_file_name(program))?;
        let at = |(label, offset): &(&str, u64)| Ok(kernel.address(label)? + offset);
        let places = Places {
            from: program.address("bench_count_from")?,
            to: program.address("bench_count_to")?,
            entries: code.entries.iter().map(at).collect::<Outcome<_>>()?,
            returns: code.returns.iter().map(|label| at(&(label, 0))).collect::<Outcome<_>>()?,
            register: code.register,
        };
        let filter: Vec<_> = places.all().map(|address| format!("{address:#x}+0x1")).collect();
        let file = image.with_file_name("entries.txt");
        Ok(Some(Self { row, names: [entries, switches], places, file, filter: filter.join(",") }))
    }

    /// The options that make the emulator log it.
    pub fn options(&self) -> Vec<&str> {
        vec!["-d", "exec,cpu,nochain", "-dfilter", &self.filter, "-D", "{folder}/entries.txt"]
    }

    /// The counts of a run with these rows.
    ///
    /// # Errors
    /// When the log cannot be read, or has other parts than the rows.
    pub fn rows(&self, printed: &[Row]) -> Outcome<Vec<Row>> {
        let input = File::open(&self.file).context(|| format!("cannot open {}", self.file.display()))?;
        let mut counter = Counter::default();
        for line in BufReader::new(input).lines() {
            counter.take(&line.context(|| format!("cannot read {}", self.file.display()))?, &self.places);
        }
        fs::remove_file(&self.file).context(|| format!("cannot remove {}", self.file.display()))?;
        let of: Vec<_> = printed.iter().filter(|row| row.name == self.row).collect();
        let parts = counter.parts.len();
        if parts == 0 || parts != of.len() {
            return Err(Failure::new(format!("{parts} counted parts, but {} rows {}", of.len(), self.row)));
        }
        let rows = of.iter().zip(&counter.parts).flat_map(|(row, part)| {
            let row = |name: &String, count| Row::single(name, row.params.clone(), count);
            [row(&self.names[0], part.entries), row(&self.names[1], part.switches)]
        });
        Ok(rows.collect())
    }
}

impl Places {
    fn all(&self) -> impl Iterator<Item = u64> {
        [self.from, self.to]
            .into_iter()
            .chain(self.entries.iter().copied())
            .chain(self.returns.iter().copied())
    }

    fn block(&self, address: u64) -> Option<Block> {
        if address == self.from {
            Some(Block::From)
        } else if address == self.to {
            Some(Block::To)
        } else if self.entries.contains(&address) {
            Some(Block::Entry)
        } else {
            self.returns.contains(&address).then_some(Block::Return)
        }
    }
}

#[derive(Default)]
struct Counter {
    parts: Vec<Part>,
    open: Option<Part>,
    last: Option<Block>,
    is_in_kernel: bool,
    context: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Part {
    entries: u64,
    switches: u64,
}

impl Counter {
    /// Takes a line: of a block, or of the registers at its start. A block that is interrupted before its first
    /// instruction is logged again.
    fn take(&mut self, line: &str, places: &Places) {
        if let Some(rest) = line.strip_prefix("Trace ") {
            self.last = trace::executed(rest).and_then(|(_, address)| places.block(address));
            match self.last {
                Some(Block::From) => self.open = Some(Part::default()),
                Some(Block::To) => self.parts.extend(self.open.take()),
                Some(Block::Entry) if !self.is_in_kernel => {
                    self.is_in_kernel = true;
                    self.open.iter_mut().for_each(|part| part.entries += 1);
                }
                Some(Block::Entry | Block::Return) | None => {}
            }
        } else if let (Some(Block::Return), Some(value)) = (self.last, register(line, places.register)) {
            self.is_in_kernel = false;
            if self.context.replace(value) != Some(value) {
                self.open.iter_mut().for_each(|part| part.switches += 1);
            }
        }
    }
}

/// The value of a register in a line with several.
fn register(line: &str, name: &str) -> Option<u64> {
    let value = line.split_once(name)?.1.split_whitespace().next()?;
    u64::from_str_radix(value, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_changes_of_thread_are_counted_between_the_marks() {
        let places =
            Places { from: 0x10, to: 0x20, entries: vec![0x30], returns: vec![0x40], register: "X00=" };
        let log = |blocks: &[(u64, u64)]| {
            let mut counter = Counter::default();
            for (address, context) in blocks {
                counter.take(&format!("Trace 0: 0x7f00 [0/{address:016x}/61/ff]"), &places);
                counter.take(&format!(" PC={address:016x} X00={context:016x} X01=0"), &places);
            }
            counter.parts
        };
        let before = [(0x30, 0), (0x40, 1), (0x10, 0)];
        let part = |entries, switches| Part { entries, switches };
        assert_eq!(log(&[&before[..], &[(0x20, 0)]].concat()), [part(0, 0)]);
        let twice = [(0x30, 0), (0x30, 0), (0x40, 1), (0x40, 1), (0x30, 0), (0x40, 2), (0x20, 0), (0x20, 0)];
        assert_eq!(log(&[&before[..], &twice].concat()), [part(2, 1)]);
        assert_eq!(log(&[&before[..], &[(0x10, 0), (0x30, 0), (0x40, 1), (0x20, 0)]].concat()), [part(1, 0)]);
    }

    #[test]
    fn registers_are_read_in_the_logs_of_all_emulators() {
        assert_eq!(
            register(" PC=ffffffff80015838 X00=ffffffff8005a000 X01=00", "X00="),
            Some(0xffff_ffff_8005_a000)
        );
        assert_eq!(
            register(" x8/s0   0000000000000001 x10/a0  ffffffff8005a000", "x10/a0"),
            Some(0xffff_ffff_8005_a000)
        );
        assert_eq!(register("RAX=ffffffff8005a000 RBX=00", "RAX="), Some(0xffff_ffff_8005_a000));
        assert_eq!(register("RAX=x", "RAX="), None);
    }
}
