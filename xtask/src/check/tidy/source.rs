//! Rules for source files and packages: the opening sentence, safe crates, licence lines, READMEs.

use std::path::Path;

use super::{Objection, Rule, SourceFile};

pub(super) const RULES: &[Rule] = &[opening_sentence, safe_crates, licence_lines, readmes];

/// Crates without unsafe code.
const SAFE: [&str; 4] = ["kernel/core", "kernel/fpu", "abi", "host"];

fn opening_sentence(files: &[SourceFile]) -> Vec<Objection> {
    let rust = files.iter().filter(|file| file.has_ending(&["rs"]));
    let silent = rust.filter(|file| !file.text.starts_with("//! "));
    silent
        .map(|file| file.object(1, "a Rust file must start with `//!` and a sentence that says what it is"))
        .collect()
}

fn safe_crates(files: &[SourceFile]) -> Vec<Objection> {
    let is_root =
        |file: &&SourceFile| file.path.ends_with("/src/lib.rs") || file.path.ends_with("/src/main.rs");
    let safe = |file: &&SourceFile| SAFE.iter().any(|folder| file.is_below(folder));
    let roots = files.iter().filter(is_root).filter(safe);
    let lax = roots.filter(|file| !file.text.contains("#![forbid(unsafe_code)]"));
    lax.map(|file| file.object(1, "this crate must say #![forbid(unsafe_code)]")).collect()
}

/// Checks licence lines. The text is in LICENSE, which is also in the SDK.
fn licence_lines(files: &[SourceFile]) -> Vec<Objection> {
    let packages = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    // A copy of an example has no workspace to inherit from.
    let wanted = |file: &SourceFile| match file.is_below("examples") {
        true => "license = \"BSD-2-Clause\"",
        false => "license.workspace = true",
    };
    let unlicensed = packages.filter(|file| !file.text.contains(wanted(file)));
    unlicensed.map(|file| file.object(1, format!("the package must say {}", wanted(file)))).collect()
}

/// Checks that each package has a README, which its manifest names. Those below `tests` have one for all.
fn readmes(files: &[SourceFile]) -> Vec<Objection> {
    let packages = files.iter().filter(|file| file.path.ends_with("/Cargo.toml") && !file.is_below("tests"));
    let has_readme = |file: &SourceFile| {
        let readme = Path::new(&file.path).with_file_name("README.md");
        file.text.contains("readme = \"README.md\"")
            && files.iter().any(|file| Path::new(&file.path) == readme)
    };
    let lacking = packages.filter(|file| !has_readme(file));
    lacking.map(|file| file.object(1, "the package must have a README.md and name it")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    #[test]
    fn a_rust_file_without_opening_sentence_is_found() {
        let files = [file("a.rs", "//! What it is.\n"), file("b.rs", "fn main() {}\n")];
        assert!(shown(&opening_sentence(&files))[0].starts_with("b.rs:1:"));
        assert_eq!(opening_sentence(&files).len(), 1);
    }

    #[test]
    fn a_safe_crate_that_allows_unsafe_is_found() {
        let files = [
            file("kernel/core/src/lib.rs", "#![no_std]\n"),
            file("kernel/platform/src/main.rs", "#![no_std]\n"),
            file("host/sdf/src/lib.rs", "#![forbid(unsafe_code)]\n"),
        ];
        assert_eq!(safe_crates(&files).len(), 1);
        assert!(shown(&safe_crates(&files))[0].starts_with("kernel/core/src/lib.rs"));
    }

    #[test]
    fn a_package_without_readme_is_found() {
        let files = [
            file("host/sdf/Cargo.toml", "readme = \"README.md\"\n"),
            file("host/sdf/README.md", "# limen-sdf\n"),
            file("host/report/Cargo.toml", "readme = \"README.md\"\n"),
            file("tests/rust/Cargo.toml", "[package]\n"),
        ];
        assert_eq!(
            shown(&readmes(&files)),
            ["host/report/Cargo.toml:1: the package must have a README.md and name it"]
        );
    }

    #[test]
    fn a_package_without_licence_is_found() {
        let files = [
            file("host/sdf/Cargo.toml", "[package]\n"),
            file("host/report/Cargo.toml", "[package]\nlicense.workspace = true\n"),
            file("examples/a/Cargo.toml", "[package]\nlicense = \"BSD-2-Clause\"\n"),
        ];
        assert_eq!(
            shown(&licence_lines(&files)),
            ["host/sdf/Cargo.toml:1: the package must say license.workspace = true"]
        );
    }
}
