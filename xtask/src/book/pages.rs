//! The text of the pages: that of the chapters, with links that lead to pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::chapters::Chapter;
use crate::sdk::links::{self, Replacement};

/// The pages with their texts. `place` says where a file of the repository is beside the pages, which are in `folder`.
pub(super) fn all(
    chapters: &[Chapter],
    place: impl Fn(&Path) -> Option<PathBuf>,
    folder: &Path,
) -> BTreeMap<PathBuf, String> {
    let pages: BTreeMap<_, _> =
        chapters.iter().map(|chapter| (chapter.path.clone(), chapter.page())).collect();
    let page_of = |path: &Path| pages.get(path).or_else(|| pages.get(&path.join("README.md")));
    let text = |chapter: &Chapter| {
        let own = chapter.path.parent().unwrap_or(Path::new(""));
        links::rewrite(&chapter.text, |words, target| {
            let target = links::resolve(own, target)?;
            // Rendering turns every link to a document into a link to a page.
            let place = place(&target).filter(|place| place.extension().is_none_or(|ending| ending != "md"));
            Some(match (page_of(&target), place) {
                (Some(page), _) => Replacement::File(links::relative(own, &page.with_extension("html"))),
                (None, Some(place)) => Replacement::File(links::relative(&folder.join(own), &place)),
                (None, None) => links::in_sources(words, &target),
            })
        })
    };
    chapters.iter().map(|chapter| (chapter.page(), text(chapter))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_to_files_beside_them() {
        let chapter = |path: &str, text: &str| {
            let text = format!("# Title\n{text}");
            Chapter::new(Path::new(path), text).unwrap()
        };
        let chapters = [
            chapter("README.md", "[a](docs/boot.md#x) [b](examples/tour)"),
            chapter(
                "docs/boot.md",
                "[c](../README.md) [d](../host/x.rs) [e](../abi/y.rs) [f](#here) [g](../host/z.md)",
            ),
            chapter("examples/tour/README.md", ""),
        ];
        let place = |path: &Path| path.starts_with("host").then(|| Path::new("sources").join(path));
        let pages = all(&chapters, place, Path::new("book"));
        assert_eq!(
            pages[Path::new("index.md")],
            "# Title\n[a](docs/boot.html#x) [b](examples/tour/index.html)"
        );
        assert_eq!(
            pages[Path::new("docs/boot.md")],
            "# Title\n[c](../index.html) [d](../../sources/host/x.rs) e (in the sources: `abi/y.rs`) [f](#here) \
             g (in the sources: `host/z.md`)"
        );
        assert!(pages.contains_key(Path::new("examples/tour/index.md")));
    }
}
