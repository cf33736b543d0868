//! Rule for modules: those of a crate do not use each other in a circle.
//!
//! A module is a file or folder directly in `src`. What `lib.rs` re-exports counts as used from where it is.

use std::collections::{BTreeMap, BTreeSet};

use super::{Objection, Rule, SourceFile};

pub(super) const RULES: &[Rule] = &[no_circles];

/// Folders of crates that the rule is for.
const FOLDERS: [&str; 3] = ["abi", "host", "kernel"];
/// Crates in which circles have a meaning: the kernel and its specification consist of objects, whose files implement
/// their methods; and the hardware consists of units, whose files implement its traits.
const EXCEPT: [&str; 3] = ["kernel/core", "kernel/platform", "kernel/spec"];
/// Ports, whose uses are not followed: a port and what is above it call each other.
const PORTS: &str = "arch";
/// The line above tests.
const TESTS: &str = "\n#[cfg(test)]\n";

/// For each module, the modules that it uses.
type Uses<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn no_circles(files: &[SourceFile]) -> Vec<Objection> {
    let mut crates: BTreeMap<&str, Vec<(&str, &SourceFile)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.has_ending(&["rs"])) {
        let Some((name, inside)) = file.path.split_once("/src/") else { continue };
        let is_meant = FOLDERS.iter().any(|folder| file.is_below(folder)) && !EXCEPT.contains(&name);
        if is_meant {
            crates.entry(name).or_default().push((inside.trim_end_matches(".rs"), file));
        }
    }
    crates.values().flat_map(|files| circles_of(&in_modules(files))).collect()
}

/// Files with their modules, tests apart.
fn in_modules<'a>(files: &[(&'a str, &'a SourceFile)]) -> Vec<(&'a str, &'a SourceFile)> {
    let tests: BTreeSet<_> = files.iter().flat_map(|(_, file)| test_modules(&file.text)).collect();
    let files = files.iter().filter(|(path, _)| !path.split('/').any(|part| tests.contains(part)));
    files.map(|(path, file)| (path.split('/').next().unwrap_or(path), *file)).collect()
}

/// Names of the files that a file declares for tests only.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    text.split(TESTS).skip(1).filter_map(|rest| {
        let (name, _) = rest.lines().next()?.split_once("mod ")?.1.split_once(';')?;
        Some(name)
    })
}

fn circles_of(modules: &[(&str, &SourceFile)]) -> Vec<Objection> {
    let uses = uses(modules);
    let mut known = BTreeSet::new();
    let mut objections = Vec::new();
    for (module, file) in modules {
        let reached = reached_from(module, &uses);
        let circle = reached.iter().filter(|other| reached_from(other, &uses).contains(module));
        let circle: Vec<_> = circle.copied().collect();
        if !circle.is_empty() && known.insert(circle.clone()) {
            let message = format!("modules use each other in a circle: {}", circle.join(", "));
            objections.push(file.object(1, message));
        }
    }
    objections
}

/// The modules that a module uses, directly or not.
fn reached_from<'a>(module: &'a str, uses: &Uses<'a>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(user) = open.pop() {
        open.extend(uses.get(user).into_iter().flatten().filter(|used| reached.insert(**used)));
    }
    reached
}

fn uses<'a>(modules: &[(&'a str, &'a SourceFile)]) -> Uses<'a> {
    let names: BTreeSet<_> =
        modules.iter().map(|(module, _)| *module).filter(|name| !is_root(name)).collect();
    let root = modules.iter().filter(|(module, _)| is_root(module));
    let exported: BTreeMap<_, _> = root.flat_map(|(_, file)| exports(&file.text)).collect();
    let mut uses = Uses::new();
    for (module, file) in modules.iter().filter(|(module, _)| !is_root(module) && *module != PORTS) {
        let code = file.text.split(TESTS).next().unwrap_or_default();
        let used = paths(code, "crate::").into_iter().filter_map(|path| {
            let first = path.first()?;
            names.get(first).or_else(|| exported.get(first)).copied()
        });
        uses.entry(*module).or_default().extend(used.filter(|used| used != module));
    }
    uses
}

fn is_root(module: &str) -> bool {
    ["lib", "main"].contains(&module)
}

/// Names that a crate's root takes from its modules, each with its module.
fn exports(text: &str) -> impl Iterator<Item = (&str, &str)> {
    paths(text, "pub use ").into_iter().filter_map(|path| Some((*path.last()?, *path.first()?)))
}

/// The paths after each `start`, comments apart; one for each name in braces.
fn paths<'a>(code: &'a str, start: &str) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(start) {
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        if !code[line..at].contains("//") {
            expand(&code[at + start.len()..], &mut Vec::new(), &mut found);
        }
    }
    found
}

/// Reads a tree of names, as in `a::{b, c::d}`, and adds its paths. Returns the rest of the text.
fn expand<'a>(text: &'a str, before: &mut Vec<&'a str>, found: &mut Vec<Vec<&'a str>>) -> &'a str {
    let text = text.trim_start();
    let Some(mut rest) = text.strip_prefix('{') else {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        before.push(name);
        let rest = match rest.strip_prefix("::") {
            Some(inside) => expand(inside, before, found),
            None => {
                found.push(before.clone());
                rest
            }
        };
        before.pop();
        return rest;
    };
    while !rest.trim_start().starts_with('}') && !rest.is_empty() {
        rest = expand(rest, before, found).trim_start();
        rest = rest.trim_start_matches(|c| c != ',' && c != '}').trim_start_matches(',');
    }
    rest.trim_start().get(1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    #[test]
    fn a_circle_is_found_once_with_all_its_modules() {
        let files = [
            file("host/a/src/one.rs", "//! One.\nuse crate::{code, two::{self, Two}};\n"),
            file("host/a/src/two.rs", "fn two() { crate::three::three() }\n"),
            file("host/a/src/three/mod.rs", "// Uses crate::code.\n"),
            file("host/a/src/three/part.rs", "use crate::one::One;\n"),
            file(
                "host/a/src/code.rs",
                "//! Codes.\n#[cfg(test)]\nmod model;\n#[cfg(test)]\nmod tests {\n    use crate::one;\n}\n",
            ),
            file("host/a/src/code/model.rs", "use crate::one;\n"),
        ];
        let expected = ["host/a/src/one.rs:1: modules use each other in a circle: one, three, two"];
        assert_eq!(shown(&no_circles(&files)), expected);
    }

    #[test]
    fn a_circle_through_names_of_the_root_is_found() {
        let root = "mod one;\nmod two;\npub use one::{One, Other};\n";
        let files = [
            file("abi/a/src/lib.rs", root),
            file("abi/a/src/one.rs", "use crate::two::Two;\n"),
            file("abi/a/src/two.rs", "use crate::{Other, unknown};\n"),
        ];
        let expected = ["abi/a/src/one.rs:1: modules use each other in a circle: one, two"];
        assert_eq!(shown(&no_circles(&files)), expected);
    }

    #[test]
    fn paths_are_those_of_each_name() {
        let text = "use crate::a::{self, b as x, c::{d,\n    e}, *};\ncrate::f(1);";
        let all: Vec<_> = paths(text, "crate::").iter().map(|path| path.join("::")).collect();
        assert_eq!(all, ["a::self", "a::b", "a::c::d", "a::c::e", "a::*", "f"]);
    }
}
