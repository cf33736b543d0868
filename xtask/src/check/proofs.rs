//! `./x check`: the proofs, each a file in SMT-LIB 2 beside the code that it is about.
//!
//! A file prints a sentence before each goal. A goal that `holds` is the negation of a claim, so that it must be unsatisfiable; a
//! `mistake` is a wrong variant of the code or of its conditions, for which the solver must find a counterexample.

use std::fmt;
use std::process::Command as Process;

use crate::failure::{Failure, Outcome};
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

/// The solver, and its limit in seconds for a goal, of which the longest takes nine.
const SOLVER: &str = "z3";
const SECONDS: u32 = 600;

/// Folders with proofs.
const FOLDERS: [&str; 2] = ["abi/image/proofs", "kernel/core/proofs"];

/// The numbers of goals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proved {
    claims: usize,
    mistakes: usize,
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} claims are proved, {} mistakes are found", self.claims, self.mistakes)
    }
}

/// Checks all of them. Returns the number of goals, or the reason if this machine cannot check them.
///
/// # Errors
/// When a claim does not hold or a mistake does.
pub fn check(workspace: &Workspace) -> Outcome<String> {
    if process::capture(Process::new(SOLVER).arg("--version")).is_err() {
        return Ok("proofs are not checked: z3 is not installed (apt-get install z3)".to_owned());
    }
    let mut all = Proved::default();
    for folder in FOLDERS {
        for file in files::below(&workspace.path(folder))? {
            let name = format!("{folder}/{}", file.display());
            let mut solver = Process::new(SOLVER);
            solver.arg(format!("-t:{}", SECONDS * 1000)).arg(workspace.path(&name));
            let Proved { claims, mistakes } = judge(&name, &process::capture(&mut solver)?)?;
            all.claims += claims;
            all.mistakes += mistakes;
        }
    }
    Ok(all.to_string())
}

/// Judges the output for a file: lines with a sentence, each followed by an answer.
fn judge(name: &str, output: &str) -> Outcome<Proved> {
    let lines: Vec<_> = output.lines().collect();
    let mut proved = Proved::default();
    let mut complaints = Vec::new();
    for goal in lines.chunks(2) {
        match goal {
            [sentence, "unsat"] if sentence.starts_with("holds: ") => proved.claims += 1,
            [sentence, "sat"] if sentence.starts_with("mistake: ") => proved.mistakes += 1,
            other => complaints.push(format!("{name}: {}", other.join(": "))),
        }
    }
    if proved.claims == 0 || proved.mistakes == 0 {
        complaints.push(format!("{name} lacks a claim that is proved, or a mistake that is found"));
    }
    if complaints.is_empty() { Ok(proved) } else { Err(Failure::new(complaints.join("\n"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(output: &str) -> String {
        judge("a.smt2", output).unwrap_err().to_string()
    }

    #[test]
    fn claims_and_mistakes_are_counted() {
        let proved = judge("a.smt2", "holds: a\nunsat\nmistake: b\nsat\nholds: c\nunsat\n").unwrap();
        assert_eq!(proved.to_string(), "2 claims are proved, 1 mistakes are found");
    }

    #[test]
    fn a_claim_with_a_counterexample_is_reported() {
        assert_eq!(complaint("holds: a\nunsat\nmistake: b\nsat\nholds: c\nsat\n"), "a.smt2: holds: c: sat");
        assert_eq!(
            complaint("holds: a\nunsat\nmistake: b\nsat\nholds: c\nunknown\n"),
            "a.smt2: holds: c: unknown"
        );
    }

    #[test]
    fn a_mistake_without_a_counterexample_is_reported() {
        let complaint = complaint("holds: a\nunsat\nmistake: b\nunsat\nmistake: c\nsat\n");
        assert_eq!(complaint, "a.smt2: mistake: b: unsat");
    }

    #[test]
    fn a_file_without_a_mistake_is_reported() {
        assert!(complaint("holds: a\nunsat\n").contains("lacks"));
        assert!(complaint("").contains("lacks"));
    }

    #[test]
    fn a_goal_without_a_sentence_is_reported() {
        assert!(complaint("holds: a\nunsat\nmistake: b\nsat\nsat\n").starts_with("a.smt2: sat"));
    }
}
