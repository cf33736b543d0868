//! Rules for all text: names of this machine's folders, dead links, white space.

use std::collections::BTreeMap;
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

/// Dead links in Markdown to files and headings. `exists` tests paths relative to the root.
pub(super) fn dead_links(files: &[SourceFile], exists: impl Fn(&Path) -> bool) -> Vec<Objection> {
    let documents = || files.iter().filter(|file| file.has_ending(&["md"]));
    let anchors: BTreeMap<_, _> =
        documents().map(|file| (PathBuf::from(&file.path), links::anchors(&file.text))).collect();
    let leads_somewhere = |file: &SourceFile, target: &str| {
        let own = Path::new(&file.path);
        let path = match links::file_of(target) {
            Some(file) => links::resolve(own.parent().unwrap_or(Path::new("")), file),
            None => Some(own.to_owned()),
        };
        path.is_some_and(|path| {
            let has_anchor = |anchor| anchors.get(&path).is_some_and(|anchors| anchors.contains(anchor));
            exists(&path) && links::anchor_of(target).is_none_or(has_anchor)
        })
    };
    let mut found = Vec::new();
    for file in documents() {
        for (index, line) in file.text.lines().enumerate() {
            for target in links::targets(line).filter(|target| !leads_somewhere(file, target)) {
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
        let text = "# Here\n[a](b.md#part) [c](../README.md) [d](https://example.org/x) [e](#here)\n\
                    [f](../../out.md)\n[g](#there) [h](../README.md#start) [i](../README.md#end)\n";
        let files = [file("docs/a.md", text), file("README.md", "# Start\n")];
        let found = dead_links(&files, |path| files.iter().any(|file| Path::new(&file.path) == path));
        let expected = [
            "docs/a.md:2: the link to b.md#part leads nowhere",
            "docs/a.md:3: the link to ../../out.md leads nowhere",
            "docs/a.md:4: the link to #there leads nowhere",
            "docs/a.md:4: the link to ../README.md#end leads nowhere",
        ];
        assert_eq!(shown(&found), expected);
    }
}
