//! `docs/compatibility.md` names every option of the tool, and every function and variable of `microkit.h`.
//!
//! Elements and attributes are compared where their table is, in the crate that reads descriptions.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

#[path = "../src/options.rs"]
#[allow(dead_code, reason = "only the list is needed")]
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

/// What a header declares for programs. Its declarations begin at the first column; those that a macro makes are in a
/// macro that is used for several widths.
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

/// Every row below the title is `there`, or missing and not `there`; nothing that is there has no row.
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
