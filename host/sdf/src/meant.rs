//! Help for a name that nothing has: the name that was probably meant, or those that there are.

use limen_nearest::{did_you_mean, list};

/// Offers the `known` name that is spelled nearly like `name`. If none is, says the rule, with all names if they are few.
pub(crate) fn help<'k>(rule: &str, name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    did_you_mean(name, known.iter().copied()).unwrap_or_else(|| match list(known) {
        Some(names) => format!("{rule}: {names}."),
        None => format!("{rule}."),
    })
}
