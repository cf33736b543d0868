//! Rule *named-tests*: a test that a document names exists.
//!
//! A link whose text is a name in backquotes and whose target is a Rust file says that the file has a function of this name.

use std::path::Path;

use super::{Objection, SourceFile};
use crate::sdk::links;

/// Names in documents of functions that the linked file does not have.
pub(super) fn missing(files: &[SourceFile]) -> Vec<Objection> {
    let mut found = Vec::new();
    for document in files.iter().filter(|file| file.has_ending(&["md"])) {
        let folder = Path::new(&document.path).parent().unwrap_or(Path::new(""));
        for (index, line) in document.text.lines().enumerate() {
            for (name, target) in named_functions(line) {
                let path = links::resolve(folder, target);
                let code = files.iter().find(|file| path.as_deref() == Some(Path::new(&file.path)));
                if !code.is_some_and(|code| code.text.contains(&format!("fn {name}("))) {
                    found.push(document.object(index + 1, format!("{target} has no function `{name}`")));
                }
            }
        }
    }
    found
}

/// The names and files of such links.
fn named_functions(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split("[`").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once("`](")?;
        let (target, _) = rest.split_once(')')?;
        (target.ends_with(".rs") && !name.contains(['`', ']'])).then_some((name, target))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    #[test]
    fn a_test_that_is_gone_is_found() {
        let document = file(
            "docs/page.md",
            "no link\n[`is_there`](../core/a.rs), [`is_gone`](../core/a.rs), [`page`](page.md), [a.rs](../core/a.rs)\n",
        );
        let code = file("core/a.rs", "fn is_there() {}\n// is_gone\n");
        let expected = ["docs/page.md:2: ../core/a.rs has no function `is_gone`"];
        assert_eq!(shown(&missing(&[document, code])), expected);
    }
}
