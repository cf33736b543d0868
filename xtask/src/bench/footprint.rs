//! Memory footprints: rows of `./x bench`, and limits of `./x check`.

use std::fs;
use std::path::{Path, PathBuf};

use limen_abi::limits::PROCESSORS;
use limen_report::Row;

use crate::bench::measure::CONFIG;
use crate::check::binary::{self, Segment};
use crate::check::boot_code::{self, Checks};
use crate::check::symbols::Symbols;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::{Build, Project};
use crate::shell::files;
use crate::test::suite::Suite;
use crate::workspace::{CONFIGS, Workspace};

/// The name by which filters select these rows.
pub const NAME: &str = "bench/footprint";

/// The bench system with the smallest program, and that program.
const SMALLEST: (&str, &str) = ("boot_16", "idle.elf");

/// The configuration in which the kernel checks its invariants.
const SELF_CHECKING: &str = "debug";

/// Limits on the kernel's code in bytes, by instruction set: all of it, and the part that stays mapped after boot
/// in every image. The goal for the latter is 96 KiB
/// ([performance](../../../docs/performance.md#footprint)); smaller limits keep what has been reached.
const MOST_TEXT: [(&str, [u64; 2]); 3] = [
    ("aarch64", [243 << 10, 87 << 10]),
    ("riscv64", [209 << 10, 77 << 10]),
    ("x86_64", [287 << 10, 103 << 10]),
];

/// The example with one of everything, and the limit on its image in bytes.
const TOUR: (&str, u64) = ("examples/tour", 1 << 20);

/// A part of a linked file: its name, and how many bytes of a segment belong to it.
type Part = (&'static str, fn(&Segment) -> u64);

/// The parts, by the kind of memory that they need.
const PARTS: [Part; 4] = [
    ("text", |segment| if segment.executes() { segment.memory_bytes } else { 0 }),
    (
        "read_only",
        |segment| if segment.executes() || segment.is_written() { 0 } else { segment.memory_bytes },
    ),
    ("read_write", |segment| if segment.is_written() { segment.file_bytes } else { 0 }),
    ("zeroed", |segment| segment.memory_bytes.saturating_sub(segment.file_bytes)),
];

/// The sizes of the kernel, the smallest program and the examples' images.
///
/// # Errors
/// When an example does not build, or a file cannot be read.
pub fn rows(workspace: &Workspace, board: &Board) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for config in CONFIGS {
        let segments = binary::segments(&workspace.kernel(&board.name, config))?;
        let row = |part: &str, bytes| {
            Row::single("kernel_bytes", params(&[("part", part), ("config", config)]), bytes)
        };
        rows.extend(PARTS.map(|(part, bytes)| row(part, segments.iter().map(bytes).sum())));
        let checks = if config == SELF_CHECKING { Checks::Stay } else { Checks::Go };
        rows.push(row(
            "text_after_boot",
            boot_code::staying_bytes(&workspace.kernel(&board.name, config), checks)?,
        ));
    }
    rows.push(Row::single(
        "kernel_bytes",
        params(&[("part", "further_processor")]),
        further(workspace, board)?,
    ));
    rows.push(program(workspace, board)?);
    for project in Project::on_shelf(workspace, "examples")? {
        if !Suite::of(&project)?.configs(&board.name).is_empty() {
            let params = params(&[("example", project.name.trim_start_matches("examples/"))]);
            rows.push(Row::single("image_bytes", params, file_bytes(&image(workspace, board, &project)?)?));
        }
    }
    Ok(rows)
}

/// The kernel's memory for each further processor, in bytes.
fn further(workspace: &Workspace, board: &Board) -> Outcome<u64> {
    let symbols = Symbols::of(&workspace.kernel(&board.name, CONFIG))?;
    let [start, end] = ["__further_start", "__further_end"].map(|name| symbols.address(name));
    Ok((end? - start?) / (PROCESSORS as u64 - 1))
}

/// Checks the limits on the kernel's code and the image of the tour.
///
/// # Errors
/// When one is exceeded, with both sizes.
pub fn is_small(workspace: &Workspace, board: &Board) -> Outcome {
    let [(_, text), ..] = PARTS;
    let kernel = workspace.kernel(&board.name, CONFIG);
    let all: u64 = binary::segments(&kernel)?.iter().map(text).sum();
    if let Some((_, [most, most_staying])) = MOST_TEXT.iter().find(|(name, _)| *name == board.architecture) {
        not_above(&format!("the kernel's instructions on {}", board.name), all, *most)?;
        let staying = boot_code::staying_bytes(&kernel, Checks::Go)?;
        let what = format!("the kernel's instructions that stay after boot on {}", board.name);
        not_above(&what, staying, *most_staying)?;
    }
    let (tour, most) = TOUR;
    let project = Project::locate(workspace, tour)?;
    not_above(
        &format!("the image of {tour} on {}", board.name),
        file_bytes(&image(workspace, board, &project)?)?,
        most,
    )
}

fn not_above(what: &str, bytes: u64, most: u64) -> Outcome {
    if bytes <= most {
        return Ok(());
    }
    Err(Failure::new(format!("{what} take {bytes} bytes; xtask/src/bench/footprint.rs allows {most}")))
}

/// The size of a file in bytes.
///
/// # Errors
/// When the file does not exist.
pub fn file_bytes(file: &Path) -> Outcome<u64> {
    Ok(fs::metadata(file).context(|| format!("cannot read {}", file.display()))?.len())
}

/// The memory that a running system uses, from the report beside its image. Excludes page tables, which the kernel
/// builds.
///
/// # Errors
/// When the report does not have it.
pub fn used_bytes(image: &Path) -> Outcome<u64> {
    let file = image.with_file_name("report.txt");
    let text = files::read(&file)?;
    let digits = text
        .lines()
        .find_map(|line| line.strip_prefix("memory in use")?.trim().strip_prefix("0x")?.split(' ').next());
    let bytes = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    bytes.ok_or_else(|| Failure::new(format!("{} does not say how much memory is in use", file.display())))
}

fn image(workspace: &Workspace, board: &Board, project: &Project) -> Outcome<PathBuf> {
    project
        .build(workspace, &Build { board, config: CONFIG, variables: &[] })
        .context(|| project.name.clone())
}

/// Builds a program that does nothing, and returns its file.
///
/// # Errors
/// When it does not build.
pub fn smallest_program(workspace: &Workspace, board: &Board) -> Outcome<PathBuf> {
    let (system, program) = SMALLEST;
    let project = Project::locate(workspace, system)?;
    Ok(image(workspace, board, &project)?.with_file_name(program))
}

fn program(workspace: &Workspace, board: &Board) -> Outcome<Row> {
    let segments = binary::segments(&smallest_program(workspace, board)?)?;
    let bytes = segments.iter().map(|segment| segment.memory_bytes).sum();
    Ok(Row::single("program_bytes", params(&[("part", "loaded")]), bytes))
}

fn params(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exceeded_limit_is_named_with_both_sizes() {
        assert!(not_above("a thing", 7, 7).is_ok());
        let sentence = not_above("a thing", 8, 7).unwrap_err().to_string();
        assert!(
            sentence.starts_with("a thing take 8 bytes;") && sentence.ends_with("allows 7"),
            "{sentence}"
        );
    }
}
