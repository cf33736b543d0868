//! Links of Markdown documents to files beside them.

use std::path::{Component, Path, PathBuf};

/// The inline link targets of a text that point to files, without their anchors.
pub fn targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter_map(file_of)
}

/// The file of a target; `None` for an external one, or one in the same document.
fn file_of(target: &str) -> Option<&str> {
    let file = target.split('#').next().unwrap_or_default();
    let is_file = !file.is_empty() && !file.contains("://") && !file.starts_with("mailto:");
    is_file.then_some(file)
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
    fn only_files_are_targets() {
        let text =
            "[a](b.md#part) [c](../d.md) [e](https://example.org/x) [f](#here) [g](mailto:h@example.org)";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["b.md", "../d.md"]);
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
