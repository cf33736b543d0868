//! Help for an unknown name: the likely intended name, or the known names.

use limen_nearest::{did_you_mean, list};

use crate::diagnostic::Problems;

/// Limit of name comparisons for the help of all problems together; the last problem may need as many again.
const COMPARISONS: usize = 1 << 16;

/// Suggests the `known` name with the closest spelling. If no name is close, states the rule, with all names if they
/// are few.
pub(crate) fn help<'k>(
    problems: &Problems,
    rule: &str,
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> String {
    let known: Vec<&str> = if problems.is_full() { Vec::new() } else { known.into_iter().collect() };
    near(problems, name, &known).unwrap_or_else(|| match list(known) {
        Some(names) => format!("{rule}: {names}."),
        None => format!("{rule}."),
    })
}

/// The question whether the user meant one of the `known` names. It is omitted when the names and the existing
/// `problems` are many; the first problems have the answer.
pub(crate) fn near(problems: &Problems, name: &str, known: &[&str]) -> Option<String> {
    let is_quick = problems.len() * known.len() < COMPARISONS;
    is_quick.then(|| did_you_mean(name, known.iter().copied())).flatten()
}
