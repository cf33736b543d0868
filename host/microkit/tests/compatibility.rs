//! `docs/compatibility.md` lists every option of the tool, and every function and variable of `microkit.h`.
//!
//! The crate that parses descriptions checks the tables of elements and attributes.

#![allow(clippy::unwrap_used, reason = "a failure here fails the test")]

#[path = "../src/options.rs"]
#[allow(dead_code, reason = "only the list is used")]
mod options;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn options() {
    check("The tool", &options::ALL.iter().flat_map(options::CommandOption::spellings).collect());
}

#[test]
fn functions_and_variables() {
    check("`microkit.h`", &declared(&read("user/libmicrokit/include/microkit.h")));
}

#[test]
fn declarations_are_found() {
    let header = "static inline int a(int x)\n{\n    b(x);\n}\nextern char c[4];\n/* d() */\n#define D(n) e_##n()\n\
                  void limen_f(void);\n";
    assert_eq!(declared(header), ["a", "c"].map(str::to_owned).into());
}

/// The names that a header declares for programs. Declarations start in the first column; a macro that makes
/// declarations is itself in a macro for several widths.
fn declared(header: &str) -> BTreeSet<String> {
    let declarations =
        header.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
    let names = declarations.filter(|line| !line.starts_with("typedef ")).filter_map(|line| {
        let end = line.find(['(', '[', ';'])?;
        Some(line[..end].rsplit([' ', '*']).next()?.to_owned())
    });
    let of_macros =
        header.split_whitespace().filter_map(|word| word.split_once("##bits(")).map(|(name, _)| name);
    let widths =
        header.lines().filter_map(|line| line.strip_prefix("LIMEN_DEFINE_PORT_ACCESS(")?.strip_suffix(')'));
    let widths: Vec<_> = widths.collect();
    let made = of_macros.flat_map(|name| widths.iter().map(move |width| format!("{name}{width}")));
    let own = |name: &String| {
        !name.is_empty() && !name.starts_with("__") && !name.starts_with("limen") && !name.starts_with("seL4")
    };
    names.chain(made).filter(own).collect()
}

/// Checks that every row under the title is `there` exactly if its state is not missing, and that every item has a
/// row.
fn check(title: &str, there: &BTreeSet<String>) {
    let text = read("docs/compatibility.md");
    let section = text.split_once(&format!("\n## {title}\n")).unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let mut listed = BTreeSet::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        assert!(["same", "differs", "missing", "added"].contains(&cells[2]), "{line}");
        for name in cells[1].split(", ").map(|name| name.trim_matches('`')) {
            assert_eq!(there.contains(name), cells[2] != "missing", "{line}");
            assert!(listed.insert(name.to_owned()), "{name} stands twice");
        }
    }
    let unlisted: Vec<_> = there.difference(&listed).collect();
    assert!(unlisted.is_empty(), "docs/compatibility.md lacks, under {title}: {unlisted:?}");
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}
