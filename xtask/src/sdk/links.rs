//! Links of Markdown documents to files beside them, and to headings.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The inline link targets of a text that are not external.
pub fn targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| file_of(target).is_some() || target.starts_with('#'))
}

/// The file of a target; `None` for an external one, or one in the same document.
pub fn file_of(target: &str) -> Option<&str> {
    let file = target.split('#').next().unwrap_or_default();
    let is_file = !file.is_empty() && !file.contains("://") && !file.starts_with("mailto:");
    is_file.then_some(file)
}

/// The anchor of a target.
pub fn anchor_of(target: &str) -> Option<&str> {
    Some(target.split_once('#')?.1)
}

/// The anchors of a text's headings, as web pages of it have them.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        let level = line.len() - heading.len();
        if is_code || !(1..=6).contains(&level) || !heading.starts_with(' ') {
            continue;
        }
        let anchor = anchor(heading);
        let repeated = (1..).map(|count| format!("{anchor}-{count}"));
        let mut names = std::iter::once(anchor.clone()).chain(repeated);
        _ = names.find(|name| found.insert(name.clone()));
    }
    found
}

/// The anchor of a heading: its words in lower case, joined by hyphens.
fn anchor(heading: &str) -> String {
    let words = rewrite(heading, |words, _| Some(Replacement::Text(words.to_owned())));
    let letter = |c: char| match c {
        c if c.is_whitespace() => Some('-'),
        c => (c.is_alphanumeric() || c == '-' || c == '_').then_some(c),
    };
    words.trim().to_lowercase().chars().filter_map(letter).collect()
}

/// The path of a target in a document of `folder`, both relative to the same root; `None` if it leads outside.
pub fn resolve(folder: &Path, target: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Rewrites each link to a file: `replace` gets the text of the link and its file, and returns the replacement, or
/// `None` to keep the link.
pub fn rewrite(text: &str, replace: impl Fn(&str, &str) -> Option<Replacement>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        result += before;
        let (target, end) = after.split_once(')').unwrap_or((after, ""));
        let start = result.rfind('[');
        let replacement = file_of(target).zip(start).and_then(|(file, start)| {
            let anchor = &target[file.len()..];
            replace(&result[start + 1..], file).map(|replacement| (start, anchor, replacement))
        });
        match replacement {
            Some((_, anchor, Replacement::File(file))) => result += &format!("]({file}{anchor})"),
            Some((start, _, Replacement::Text(words))) => {
                result.truncate(start);
                result += &words;
            }
            None => result += &format!("]({target})"),
        }
        rest = end;
    }
    result + rest
}

/// The replacement of a link.
#[derive(Debug)]
pub enum Replacement {
    /// The same link to another file.
    File(String),
    /// Plain text.
    Text(String),
}

/// Text for a link to a file that readers do not have: its words, and the path in the repository.
pub fn in_sources(words: &str, path: &Path) -> Replacement {
    Replacement::Text(match path.ends_with(words) {
        true => format!("`{}`", path.display()),
        false => format!("{words} (in the sources: `{}`)", path.display()),
    })
}

/// The target of a link to `path` in a document of `folder`, both relative to the same root.
pub fn relative(folder: &Path, path: &Path) -> String {
    let same = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(same).map(|_| Path::new("..").to_path_buf());
    let down = path.components().skip(same).collect::<PathBuf>();
    up.chain([down]).collect::<PathBuf>().display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_links_are_no_targets() {
        let text =
            "[a](b.md#part) [c](../d.md) [e](https://example.org/x#y) [f](#here) [g](mailto:h@example.org)";
        let targets: Vec<_> = targets(text).map(|target| (file_of(target), anchor_of(target))).collect();
        assert_eq!(targets, [(Some("b.md"), Some("part")), (Some("../d.md"), None), (None, Some("here"))]);
    }

    #[test]
    fn headings_have_anchors() {
        let text =
            "# One, `two_x`: three!\n```sh\n# code\n```\n## See [the tour](tour.md)\n## A\n### A\n#!x\n";
        let wanted = ["a", "a-1", "one-two_x-three", "see-the-tour"];
        assert_eq!(anchors(text).iter().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn links_are_replaced_and_the_rest_is_kept() {
        let text = "See [the\ntour](../tour.md#start), [x](y.rs), [z](z.md), [w](https://example.org) and f[1](2).\n";
        let replaced = rewrite(text, |words, file| match file {
            "../tour.md" => Some(Replacement::File("t.md".into())),
            "y.rs" => Some(Replacement::Text(format!("{words} of y"))),
            _ => None,
        });
        let wanted =
            "See [the\ntour](t.md#start), x of y, [z](z.md), [w](https://example.org) and f[1](2).\n";
        assert_eq!(replaced, wanted);
    }

    #[test]
    fn relative_targets_lead_back() {
        for (folder, path) in [("doc", "doc/a.md"), ("doc/x", "example/tour"), ("", "a.md")] {
            let target = relative(Path::new(folder), Path::new(path));
            assert_eq!(resolve(Path::new(folder), &target), Some(PathBuf::from(path)), "{target}");
        }
        assert_eq!(resolve(Path::new("doc"), "../../out.md"), None);
    }
}
