//! Help for a name that nothing has: the name that was probably meant, or those that there are.

use limen_nearest::{did_you_mean, list};

use crate::diagnostic::Problems;

/// How many names are compared for the help of all problems together, and once more for the last of them.
const COMPARISONS: usize = 1 << 16;

/// Offers the `known` name that is spelled nearly like `name`. If none is, says the rule, with all names if they are few.
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

/// The question whether one of the `known` names was meant. With many names and `problems` already, it is not asked: what a
/// person reads first has the answer.
pub(crate) fn near(problems: &Problems, name: &str, known: &[&str]) -> Option<String> {
    let is_quick = problems.len() * known.len() < COMPARISONS;
    is_quick.then(|| did_you_mean(name, known.iter().copied())).flatten()
}
