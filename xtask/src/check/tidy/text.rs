//! Rules for all text: names of this machine's folders, dead links, white space.

use std::path::{Path, PathBuf};

use super::{Objection, Rule, SourceFile};
use crate::sdk::links;

pub(super) const RULES: &[Rule] = &[white_space];

fn white_space(files: &[SourceFile]) -> Vec<Objection> {
    let check = |file: &SourceFile| {
        let trailing = |(index, line): (usize, &str)| {
            line.ends_with([' ', '\t', '\r'])
                .then(|| file.object(index + 1, "the line ends with white space"))
        };
        let mut found: Vec<_> = file.text.lines().enumerate().filter_map(trailing).collect();
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            found.push(file.object(file.text.lines().count(), "the last line has no line feed"));
        }
        found
    };
    // Golden files hold program output, including white space.
    let written = files.iter().filter(|file| !file.path.split('/').any(|part| part == "golden"));
    written.flat_map(check).collect()
}

/// Paths that exist only on their author's machine.
pub(super) fn machine_paths(files: &[SourceFile], folders: &[PathBuf]) -> Vec<Objection> {
    let needles: Vec<_> = folders.iter().map(|folder| format!("{}/", folder.display())).collect();
    let check = |file: &SourceFile| {
        let named = |line: &str| needles.iter().any(|needle| line.contains(needle.as_str()));
        let lines = file.text.lines().enumerate().filter(|(_, line)| named(line));
        lines
            .map(|(index, _)| file.object(index + 1, "this path exists only on one machine"))
            .collect::<Vec<_>>()
    };
    files.iter().flat_map(check).collect()
}

/// Dead relative links in Markdown. `exists` tests paths relative to the root.
pub(super) fn dead_links(files: &[SourceFile], exists: impl Fn(&Path) -> bool) -> Vec<Objection> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.has_ending(&["md"])) {
        let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        for (index, line) in file.text.lines().enumerate() {
            for target in links::targets(line)
                .filter(|target| !links::resolve(folder, target).is_some_and(|path| exists(&path)))
            {
                found.push(file.object(index + 1, format!("the link to {target} leads nowhere")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    #[test]
    fn white_space_at_the_end_is_found() {
        let files = [file("a", "one \ntwo"), file("b", "one\n"), file("c", ""), file("golden/d", " ")];
        let expected = ["a:1: the line ends with white space", "a:2: the last line has no line feed"];
        assert_eq!(shown(&white_space(&files)), expected);
    }

    #[test]
    fn a_path_of_this_machine_is_found() {
        let files = [file("a.md", "fine\nsee /home/someone/limen/x\n"), file("b.md", "/home/someoneelse\n")];
        let found = machine_paths(&files, &[PathBuf::from("/home/someone")]);
        assert_eq!(shown(&found), ["a.md:2: this path exists only on one machine"]);
    }

    #[test]
    fn a_dead_link_is_found() {
        let text =
            "[a](b.md#part) [c](../README.md) [d](https://example.org/x) [e](#here)\n[f](../../out.md)\n";
        let files = [file("docs/a.md", text)];
        let found = dead_links(&files, |path| path == Path::new("README.md"));
        let expected = [
            "docs/a.md:1: the link to b.md leads nowhere",
            "docs/a.md:2: the link to ../../out.md leads nowhere",
        ];
        assert_eq!(shown(&found), expected);
    }
}
