//! The chapters of the book, in their order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};
use crate::sdk::links;
use crate::shell::files;
use crate::workspace::Workspace;

/// The book's own contents. Its table has the chapters.
const CONTENTS: &str = "docs/README.md";
const DECISIONS: &str = "docs/decisions";
/// Documents about the project as a whole.
const PROJECT: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CAVEATS.md", "CHANGES.md"];
/// Folders with packages, whose READMEs are chapters.
const SHELVES: [&str; 6] = ["abi", "kernel", "user", "host", "xtask", "bench"];

/// A chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chapter {
    /// The document, relative to the repository.
    pub(super) path: PathBuf,
    pub(super) title: String,
    pub(super) text: String,
    /// The part of the book that starts with this chapter.
    part: Option<&'static str>,
    /// Whether it belongs to the chapter before that does not.
    is_nested: bool,
}

impl Chapter {
    pub(super) fn new(path: &Path, text: String) -> Outcome<Self> {
        let heading = text.lines().find_map(|line| line.strip_prefix("# "));
        let title = heading.ok_or_else(|| Failure::new(format!("{} has no title", path.display())))?;
        Ok(Self { path: path.to_owned(), title: title.replace('`', ""), text, part: None, is_nested: false })
    }

    fn read(workspace: &Workspace, path: &Path) -> Outcome<Self> {
        Self::new(path, files::read(&workspace.path(path))?)
    }

    /// The chapter's page as Markdown. A folder's page is that of its README.
    pub(super) fn page(&self) -> PathBuf {
        if self.path.ends_with("README.md") {
            self.path.with_file_name("index.md")
        } else {
            self.path.clone()
        }
    }
}

/// Reads every chapter.
///
/// # Errors
/// When a document of the book is not in its table, or cannot be read.
pub(super) fn all(workspace: &Workspace) -> Outcome<Vec<Chapter>> {
    let read = |path: &str| Chapter::read(workspace, Path::new(path));
    let contents = read(CONTENTS)?;
    let mut chapters = vec![read("README.md")?];
    let docs = part("The book", documents(workspace, &contents.text)?);
    chapters.push(contents);
    chapters.extend(docs);
    chapters.extend(part("Project", PROJECT.into_iter().map(read).collect::<Outcome<_>>()?));
    chapters.extend(part("Examples", readmes(workspace, &["examples"], |_| true)?));
    let mut sources = vec![read("tests/README.md")?, read("bench/README.md")?];
    sources.extend(readmes(workspace, &SHELVES, |folder| folder.join("Cargo.toml").is_file())?);
    chapters.extend(part("Sources", sources));
    Ok(chapters)
}

fn part(name: &'static str, mut chapters: Vec<Chapter>) -> Vec<Chapter> {
    if let Some(first) = chapters.first_mut() {
        first.part = Some(name);
    }
    chapters
}

/// The chapters of the table in their order, the decisions among them.
fn documents(workspace: &Workspace, contents: &str) -> Outcome<Vec<Chapter>> {
    let folder = Path::new("docs");
    let mut missing: BTreeSet<_> = in_folder(workspace, folder)?;
    missing.remove(Path::new(CONTENTS));
    let mut chapters = Vec::new();
    for (title, target) in rows(contents) {
        let path = folder.join(target);
        if path == Path::new(DECISIONS) {
            chapters.extend(decisions(workspace, title)?);
        } else {
            missing.remove(&path);
            chapters.push(Chapter { title: title.to_owned(), ..Chapter::read(workspace, &path)? });
        }
    }
    match missing.first() {
        Some(path) => Err(Failure::new(format!("{} has no row in the table of {CONTENTS}", path.display()))),
        None => Ok(chapters),
    }
}

/// Titles and targets of the first table whose rows start with a link.
fn rows(contents: &str) -> impl Iterator<Item = (&str, &str)> {
    contents.lines().filter_map(|line| {
        let (title, rest) = line.strip_prefix("| [")?.split_once("](")?;
        Some((title, rest.split_once(')')?.0))
    })
}

/// A page that lists the decisions, and the decisions.
fn decisions(workspace: &Workspace, title: &str) -> Outcome<Vec<Chapter>> {
    let documents = in_folder(workspace, Path::new(DECISIONS))?;
    let decisions =
        documents.iter().map(|path| Chapter::read(workspace, path)).collect::<Outcome<Vec<_>>>()?;
    let items = decisions.iter().map(|decision| {
        let file = decision.path.file_name().unwrap_or_default().to_string_lossy();
        format!("- [{}]({file})\n", decision.title)
    });
    let list = format!("# {title}\n\n{}", items.collect::<String>());
    let mut chapters = vec![Chapter::new(&Path::new(DECISIONS).join("README.md"), list)?];
    chapters.extend(decisions.into_iter().map(|decision| Chapter { is_nested: true, ..decision }));
    Ok(chapters)
}

/// Documents directly in a folder.
fn in_folder(workspace: &Workspace, folder: &Path) -> Outcome<BTreeSet<PathBuf>> {
    let files = files::below(&workspace.path(folder))?;
    let is_direct =
        |file: &PathBuf| file.components().count() == 1 && file.extension().is_some_and(|e| e == "md");
    Ok(files.into_iter().filter(is_direct).map(|file| folder.join(file)).collect())
}

/// READMEs below these folders of the repository, of folders that are meant.
fn readmes(
    workspace: &Workspace,
    shelves: &[&str],
    is_meant: impl Fn(&Path) -> bool,
) -> Outcome<Vec<Chapter>> {
    let mut found = Vec::new();
    for shelf in shelves {
        for file in files::below(&workspace.path(shelf))? {
            let path = Path::new(shelf).join(file);
            let folder = workspace.path(&path).parent().map(Path::to_owned).unwrap_or_default();
            if path.ends_with("README.md") && is_meant(&folder) {
                found.push(Chapter::read(workspace, &path)?);
            }
        }
    }
    Ok(found)
}

/// The list of chapters, as the program that renders reads it.
pub(super) fn summary(chapters: &[Chapter]) -> String {
    let mut text = "# Summary\n".to_owned();
    for chapter in chapters {
        if let Some(part) = chapter.part {
            text += &format!("\n# {part}\n\n");
        }
        let is_before_parts = !text.contains("\n# ");
        let mark = if chapter.is_nested {
            "  - "
        } else if is_before_parts {
            "\n"
        } else {
            "- "
        };
        text += &format!("{mark}[{}]({})\n", chapter.title, links::relative(Path::new(""), &chapter.page()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chapter(path: &str, text: &str) -> Chapter {
        Chapter::new(Path::new(path), text.to_owned()).unwrap()
    }

    #[test]
    fn the_summary_has_parts_and_nested_chapters() {
        let decision = Chapter { is_nested: true, ..chapter("docs/decisions/0001.md", "# 1. `x` is y\n") };
        let mut chapters = vec![chapter("README.md", "# Limen\n")];
        chapters
            .extend(part("The book", vec![chapter("docs/decisions/README.md", "# Decisions\n"), decision]));
        let wanted = "# Summary\n\n[Limen](index.md)\n\n# The book\n\n- [Decisions](docs/decisions/index.md)\n  \
                      - [1. x is y](docs/decisions/0001.md)\n";
        assert_eq!(summary(&chapters), wanted);
    }

    #[test]
    fn the_table_has_titles_and_targets() {
        let text = "| chapter | answers |\n|---|---|\n| [Boot](boot.md) | What? |\n| plain | [no](no.md) |\n";
        assert_eq!(rows(text).collect::<Vec<_>>(), [("Boot", "boot.md")]);
    }

    #[test]
    fn every_document_of_the_repository_is_a_chapter() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let chapters = all(&Workspace::at(&root, &root)).unwrap();
        for path in ["docs/boot.md", "docs/decisions/dependencies.md", "CAVEATS.md", "kernel/keys/README.md"]
        {
            assert!(chapters.iter().any(|chapter| chapter.path == Path::new(path)), "{path}");
        }
    }
}
