//! Rule *true-map*: the code map of ARCHITECTURE.md names only files and folders that exist.
//!
//! In a row of a table, `folder/` or `folder/file.rs` is a path from the top of the repository, and a word after a
//! folder is a file in it. `NAME` stands for any of the instruction sets.

use std::path::Path;

use super::{Objection, SourceFile};

const MAP: &str = "ARCHITECTURE.md";
/// The folders at the top that the map describes.
const TOP: [&str; 9] =
    ["abi/", "kernel/", "user/", "host/", "fuzz/", "xtask/", "tests/", "bench/", "examples/"];
const INSTRUCTION_SETS: [&str; 3] = ["aarch64", "riscv64", "x86_64"];
/// Endings that may follow the name of a file in a row.
const ENDINGS: [&str; 4] = ["", ".rs", ".S", "/"];

/// Names in the map without a file. `exists` tests paths relative to the root.
pub(super) fn missing(files: &[SourceFile], exists: impl Fn(&Path) -> bool) -> Vec<Objection> {
    let mut found = Vec::new();
    for map in files.iter().filter(|file| file.path == MAP) {
        for (index, line) in map.text.lines().enumerate().filter(|(_, line)| line.starts_with("| ")) {
            let wrong = names(line).into_iter().filter(|name| !is_there(name, &exists));
            found.extend(wrong.map(|name| map.object(index + 1, format!("`{name}` does not exist"))));
        }
    }
    found
}

/// The paths that a row names.
fn names(row: &str) -> Vec<String> {
    let mut folder = None;
    let mut found = Vec::new();
    for name in row.split('`').skip(1).step_by(2) {
        if TOP.iter().any(|top| name.starts_with(top)) {
            folder = name.ends_with('/').then_some(name);
            found.push(name.to_owned());
        } else if let Some(folder) = folder.filter(|_| is_a_file_name(name)) {
            found.push(format!("{folder}{name}"));
        }
    }
    found
}

fn is_a_file_name(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_./".contains(letter))
}

fn is_there(name: &str, exists: &impl Fn(&Path) -> bool) -> bool {
    INSTRUCTION_SETS.iter().any(|set| {
        let path = name.replace("NAME", set);
        ENDINGS.iter().any(|ending| exists(Path::new(&format!("{path}{ending}"))))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    #[test]
    fn a_name_in_the_map_without_a_file_is_found() {
        let text =
            "| traps | `kernel/entry/src/arch/NAME/`: `trap.S`, `gone` |\n`kernel/no.rs`\n| `abi/no.rs` |\n";
        let there = ["kernel/entry/src/arch/riscv64/", "kernel/entry/src/arch/riscv64/trap.S"];
        let found = missing(&[file(MAP, text)], |path| there.iter().any(|there| path == Path::new(there)));
        let expected = [
            "ARCHITECTURE.md:1: `kernel/entry/src/arch/NAME/gone` does not exist",
            "ARCHITECTURE.md:3: `abi/no.rs` does not exist",
        ];
        assert_eq!(shown(&found), expected);
    }
}
