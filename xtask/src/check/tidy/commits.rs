//! Rule *subjects*: the subject of a commit is `area: imperative summary`.
//!
//! Only commits that the upstream branch does not have are examined, because older ones cannot be changed. A clone
//! without new commits, or without an upstream branch, has none.

use std::path::Path;
use std::process::Command;

use crate::failure::Outcome;
use crate::shell::process;

/// The branch that changes are for.
const UPSTREAM: &str = "refs/remotes/origin/main";
/// The longest subject, in characters.
const LONGEST: usize = 72;

/// Imperatives that look like other forms.
const IMPERATIVES: [&str; 14] = [
    "bleed", "breed", "bring", "embed", "exceed", "feed", "focus", "need", "ping", "proceed", "seed", "shed",
    "shred", "string",
];

/// Objections to the subjects of new commits, each with the commit.
///
/// # Errors
/// When git cannot list the commits.
pub fn examine(root: &Path) -> Outcome<Vec<String>> {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(root).args(arguments);
        git
    };
    if process::capture(&mut git(&["rev-parse", "--verify", "--quiet", UPSTREAM])).is_err() {
        return Ok(Vec::new());
    }
    let new = format!("{UPSTREAM}..HEAD");
    let listing = process::capture(&mut git(&["log", "--no-merges", "--format=%h %s", &new]))?;
    Ok(listing.lines().filter_map(objection).collect())
}

/// The objection to a commit, given as its hash and its subject.
fn objection(line: &str) -> Option<String> {
    let (hash, subject) = line.split_once(' ').unwrap_or((line, ""));
    let wrong = fault(subject)?;
    Some(format!("commit {hash}: \"{subject}\" {wrong}"))
}

/// The first fault of a subject, with its remedy.
fn fault(subject: &str) -> Option<String> {
    let length = subject.chars().count();
    if length > LONGEST {
        return Some(format!(
            "has {length} characters; shorten it to {LONGEST} and put the rest in the body"
        ));
    }
    let Some((_, summary)) = subject.split_once(": ").filter(|(area, _)| is_area(area)) else {
        return Some(
            "names no area; write `area: imperative summary`, as in `core: check the receiver`".into(),
        );
    };
    if subject.ends_with('.') {
        return Some("ends with a full stop; remove it".into());
    }
    let verb = summary.split_whitespace().next().unwrap_or_default();
    (!is_imperative(verb)).then(|| {
        format!("starts with `{verb}`, which is not an imperative; write what the commit does, as in `add` or `fix`")
    })
}

fn is_area(area: &str) -> bool {
    let is_part =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_-./, ".contains(letter);
    area.starts_with(is_part) && area.chars().all(is_part)
}

/// Whether a word may be an imperative: not a past form, participle, third person or plural, and not a capitalised
/// word.
fn is_imperative(verb: &str) -> bool {
    let is_other_form =
        verb.ends_with("ed") || verb.ends_with("ing") || verb.ends_with('s') && !verb.ends_with("ss");
    IMPERATIVES.contains(&verb)
        || (verb.starts_with(|letter: char| letter.is_ascii_lowercase()) && !is_other_form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_subjects_pass() {
        let plain = [
            "core: check the receiver",
            "keys, fpu: say it plainly",
            "host/sdf: embed the schema",
            "docs: bless golden files",
            "x: pass the board on",
        ];
        assert_eq!(plain.map(fault), [const { None }; 5]);
    }

    #[test]
    fn each_fault_is_named_with_its_remedy() {
        let long = format!("core: {}", "x".repeat(67));
        let faults = [
            (long.as_str(), "has 73 characters; shorten it"),
            ("check the receiver", "names no area"),
            ("Core: check the receiver", "names no area"),
            ("core: check the receiver.", "ends with a full stop"),
            ("core: Check the receiver", "starts with `Check`"),
            ("core: checks the receiver", "starts with `checks`"),
            ("core: added a check", "starts with `added`"),
            ("core: adding a check", "starts with `adding`"),
            ("core:", "names no area"),
            ("core: ", "starts with ``"),
        ];
        for (subject, expected) in faults {
            assert!(fault(subject).is_some_and(|found| found.starts_with(expected)), "{subject}");
        }
    }

    #[test]
    fn an_objection_names_the_commit() {
        let found = objection("1234567 fixed it").expect("an objection");
        assert!(found.starts_with("commit 1234567: \"fixed it\" names no area"));
    }
}
