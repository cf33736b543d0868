//! Runs other programs.

use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::failure::{Context, Failure, Outcome};

/// Runs a program and returns its output.
///
/// # Errors
/// When it cannot be started or fails; the failure then carries everything that it printed.
pub fn capture(command: &mut Command) -> Outcome<String> {
    let Output { status, stdout, stderr } =
        command.stdin(Stdio::null()).output().context(|| cannot_start(command))?;
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    if status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&stderr);
    Err(Failure::new(format!("{} failed ({status})\n{stdout}{stderr}", shown(command))))
}

/// `cargo` of the user's toolchain, silent unless something is wrong, in colour on a terminal.
pub fn cargo(subcommand: &str) -> Command {
    let mut command = Command::new("cargo");
    command.args([subcommand, "--quiet"]);
    // Not as an option, which `cargo fmt` does not have.
    if stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}

/// The path by which this program starts itself again. On Linux, it does so even if the file was replaced in the meantime, as
/// by a build beside a long run.
///
/// # Errors
/// When the system does not say where the program is.
pub fn itself() -> Outcome<PathBuf> {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() {
        return Ok(link);
    }
    std::env::current_exe().context(|| "cannot find the program of ./x".to_owned())
}

/// Sends a signal to a process, as in `signal(7, "TERM")`, and returns whether the process existed. Uses the shell's
/// built-in: small systems have no program `kill`.
pub fn signal(process: u32, name: &str) -> bool {
    let process = process.to_string();
    let sent = Command::new("sh").args(["-c", "kill -s \"$1\" \"$2\"", "sh", name, &process]).status();
    sent.is_ok_and(|status| status.success())
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start {}", command.get_program().display())
}

/// A program and its arguments, as a user types them if no word has a space.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;

    use super::*;

    /// In this environment, the test is a copy of the program that removes itself.
    const IS_COPY: &str = "LIMEN_TEST_IS_COPY";

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_starts_itself_after_its_file_is_gone() {
        let own = env::current_exe().unwrap();
        if env::var_os(IS_COPY).is_some() {
            fs::remove_file(own).unwrap();
            let said = capture(Command::new(itself().unwrap()).arg("--list")).unwrap();
            assert!(said.contains("a_program_starts_itself_after_its_file_is_gone: test"));
            return;
        }
        let copy = env::temp_dir().join(format!("limen-itself-{}", std::process::id()));
        fs::copy(own, &copy).unwrap();
        let name = "shell::process::tests::a_program_starts_itself_after_its_file_is_gone";
        let said = capture(Command::new(&copy).args([name, "--exact"]).env(IS_COPY, "1")).unwrap();
        assert!(said.contains("1 passed") && !copy.exists(), "{said}");
    }
}
