//! What figures were measured with: which machine, and which versions of which programs.

use std::process::Command as Process;

use crate::board::Board;
use crate::failure::Outcome;
use crate::process;
use crate::qemu;

/// What a run on a board depends on, and its version, as people read them.
///
/// # Errors
/// When one of the programs cannot be started.
pub fn of(board: &Board) -> Outcome<Vec<(String, String)>> {
    let [program, arguments @ ..] = board.qemu.as_slice() else { return Ok(Vec::new()) };
    let machine = arguments.join(" ") + " " + &qemu::DETERMINISTIC.join(" ");
    let facts = [
        ("emulator", first_line(program)?),
        ("machine", machine),
        ("kernel", first_line("rustc")?),
        ("programs", first_line("clang")?),
    ];
    Ok(facts.into_iter().map(|(what, version)| (what.to_owned(), version)).collect())
}

/// Why runs on a board cannot be compared exactly with the emulator of this machine; nothing if they can.
///
/// # Errors
/// When the emulator cannot be started.
pub fn not_repeatable(board: &Board) -> Outcome<Option<String>> {
    if board.repeatable_with.is_empty() {
        return Ok(None);
    }
    let said = first_line(board.qemu.first().map_or("", String::as_str))?;
    let is_exact = |version: &String| said.contains(&format!(" version {version}."));
    let sentence = || format!("not compared: on {}, {said} does not repeat runs exactly", board.name);
    Ok((!board.repeatable_with.iter().any(is_exact)).then(sentence))
}

/// The program with the models, and its version.
///
/// # Errors
/// When it cannot be started.
pub fn of_model() -> Outcome<Vec<(String, String)>> {
    let text = process::capture(Process::new("llvm-mca").arg("--version"))?;
    let version = text.lines().find(|line| line.contains("version")).unwrap_or_default();
    Ok(vec![("model".to_owned(), format!("llvm-mca, {}", version.trim()))])
}

fn first_line(program: &str) -> Outcome<String> {
    let text = process::capture(Process::new(program).arg("--version"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
