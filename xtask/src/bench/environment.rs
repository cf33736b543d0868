//! The environment of a measurement: the machine and the versions of programs.

use std::process::Command as Process;

use crate::bench::model::MODEL;
use crate::failure::{Failure, Outcome};
use crate::run::board::Board;
use crate::shell::process;

/// The programs that a run on a board depends on, and their versions, for display.
///
/// # Errors
/// When one of the programs cannot be started.
pub fn of(board: &Board) -> Outcome<Vec<(String, String)>> {
    let [program, arguments @ ..] = board.qemu.as_slice() else { return Ok(Vec::new()) };
    let machine = [arguments.join(" "), board.deterministic().join(" ")].join(" ").trim_end().to_owned();
    let facts = [
        ("emulator", first_line(program)?),
        ("machine", machine),
        ("kernel", first_line("rustc")?),
        ("programs", first_line("clang")?),
    ];
    Ok(facts.into_iter().map(|(what, version)| (what.to_owned(), version)).collect())
}

/// Why runs on a board cannot be compared exactly with this machine's emulator; `None` if they can.
///
/// # Errors
/// When the emulator cannot be started.
pub fn not_repeatable(board: &Board) -> Outcome<Option<String>> {
    if board.repeatable_with.is_empty() {
        return Ok(None);
    }
    let (major, minor) = emulator_version(board)?;
    let here = format!("{major}.{minor}");
    let sentence =
        || format!("nothing is compared: QEMU {here} does not repeat runs on {} exactly", board.name);
    Ok((!board.repeatable_with.contains(&here)).then(sentence))
}

/// Why suites with a debugger cannot run on a board with this machine's emulator; `None` if they can.
///
/// # Errors
/// When the emulator cannot be started.
pub fn not_debuggable(board: &Board) -> Outcome<Option<String>> {
    let (major, minor) = emulator_version(board)?;
    // Its debugger reads memory as the kernel, which RISC-V does not let access user memory (sstatus.SUM).
    let is_denied = board.architecture == "riscv64" && major >= 8;
    Ok(is_denied.then(|| {
        format!("not run: the debugger of QEMU {major}.{minor} cannot read programs from the kernel")
    }))
}

/// The version of a board's emulator, as in `(7, 2)`.
///
/// # Errors
/// When the emulator cannot be started, or prints no version.
pub fn emulator_version(board: &Board) -> Outcome<(u32, u32)> {
    let said = first_line(board.qemu.first().map_or("", String::as_str))?;
    version(&said).ok_or_else(|| Failure::new(format!("the emulator prints no version: '{said}'")))
}

/// The first two numbers of the first word that looks like a version.
fn version(said: &str) -> Option<(u32, u32)> {
    let word = said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut numbers = word.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The program that models processors, and its version.
///
/// # Errors
/// When it cannot be started.
pub fn of_model() -> Outcome<Vec<(String, String)>> {
    let text = process::capture(Process::new(MODEL).arg("--version"))?;
    let version = text.lines().find(|line| line.contains("version")).unwrap_or_default();
    Ok(vec![("model".to_owned(), format!("llvm-mca, {}", version.trim()))])
}

fn first_line(program: &str) -> Outcome<String> {
    let text = process::capture(Process::new(program).arg("--version"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_emulator_is_read() {
        assert_eq!(version("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)"), Some((7, 2)));
        assert_eq!(version("QEMU emulator version 10.0.13"), Some((10, 0)));
        assert_eq!(version("QEMU"), None);
    }
}
