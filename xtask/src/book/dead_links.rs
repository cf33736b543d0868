//! Checks the links of rendered pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};
use crate::sdk::links;
use crate::shell::files;

/// Checks the links of all pages in a folder below `top`: they lead to files below it, and to parts that pages have.
///
/// # Errors
/// The links that lead nowhere.
pub(super) fn check(top: &Path, folder: &Path) -> Outcome {
    let mut pages = BTreeMap::new();
    for file in files::below(&top.join(folder))? {
        let path = folder.join(file);
        if path.extension().is_some_and(|ending| ending == "html") {
            pages.insert(path.clone(), files::read(&top.join(&path))?);
        }
    }
    let dead = dead(&pages, |path| top.join(path).exists());
    if dead.is_empty() { Ok(()) } else { Err(Failure::new(dead.join("\n"))) }
}

/// A sentence for each link that leads nowhere.
fn dead(pages: &BTreeMap<PathBuf, String>, exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let parts: BTreeMap<_, BTreeSet<_>> =
        pages.iter().map(|(path, text)| (path, values(text, " id=\"").collect())).collect();
    let leads_somewhere = |page: &PathBuf, target: &str| {
        let path = match links::file_of(target) {
            Some(file) => links::resolve(page.parent().unwrap_or(Path::new("")), file),
            None => Some(page.clone()),
        };
        path.is_some_and(|path| {
            let anchor = links::anchor_of(target).filter(|anchor| !anchor.is_empty());
            exists(&path)
                && anchor.is_none_or(|anchor| parts.get(&path).is_some_and(|ids| ids.contains(anchor)))
        })
    };
    let mut found = Vec::new();
    for (page, text) in pages {
        let targets = values(text, " href=\"").chain(values(text, " src=\""));
        let dead = targets.filter(|target| !is_external(target) && !leads_somewhere(page, target));
        found.extend(dead.map(|target| format!("{}: the link to {target} leads nowhere", page.display())));
    }
    found
}

fn is_external(target: &str) -> bool {
    target.contains("://")
        || ["mailto:", "data:", "javascript:"].iter().any(|start| target.starts_with(start))
}

/// The values of an attribute in the tags of a page.
fn values<'a>(text: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    let is_in_tag =
        |at: usize| text[..at].rfind(['<', '>']).is_some_and(|bracket| text[bracket..].starts_with('<'));
    let in_tags = text.match_indices(attribute).filter(move |(at, _)| is_in_tag(*at));
    in_tags.filter_map(|(at, _)| text[at + attribute.len()..].split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_files_and_parts_are_found() {
        let page = |text: &str| text.to_owned();
        let pages = BTreeMap::from([
            (
                "book/a.html".into(),
                page(
                    "<a href=\"docs/b.html#x\"></a><a href=\"docs/b.html#y\"></a><a id=\"z\"> href=\"code\"",
                ),
            ),
            (
                "book/docs/b.html".into(),
                page(
                    "<h1 id=\"x\"></h1><a href=\"../a.html#z\"><a href=\"c.html\"><img src=\"../../out.png\">\
                     <a href=\"https://example.org/\"><a href=\"#x\"><a href=\"#\">",
                ),
            ),
        ]);
        let known = |path: &Path| pages.contains_key(path);
        let expected = [
            "book/a.html: the link to docs/b.html#y leads nowhere",
            "book/docs/b.html: the link to c.html leads nowhere",
            "book/docs/b.html: the link to ../../out.png leads nowhere",
        ];
        assert_eq!(dead(&pages, known), expected);
    }
}
