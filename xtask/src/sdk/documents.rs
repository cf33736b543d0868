//! The documents and sources of the SDK: copies in which every link leads to a file of the SDK.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::failure::Outcome;
use crate::sdk::links::{self, Replacement};
use crate::sdk::version;
use crate::shell::files;
use crate::workspace::Workspace;

/// Folders of the repository and their places in the SDK. The cothread library and the crates for Rust programs are
/// included as source, because each program compiles them with its own options.
const FOLDERS: [(&str, &str); 5] = [
    ("docs", "doc"),
    ("examples", "example"),
    ("user/libmicrokitco", "libmicrokitco"),
    ("user/limen", "rust/limen"),
    ("abi/abi", "rust/limen-abi"),
];
/// Single files of the repository and their places in the SDK.
const DOCUMENTS: [(&str, &str); 9] = [
    ("CAVEATS.md", "doc/CAVEATS.md"),
    ("CHANGES.md", "doc/CHANGES.md"),
    ("LICENSE", "LICENSE.md"),
    ("host/microkit/gdb/limen_gdb.py", "gdb/limen_gdb.py"),
    // Above the examples and the crates, so that rustup finds it for both.
    ("rust-toolchain.toml", "rust-toolchain.toml"),
    ("user/libmicrokit/src/crossings.h", "rust/libmicrokit/src/crossings.h"),
    ("user/libmicrokit/src/aarch64/probe.S", "rust/libmicrokit/src/aarch64/probe.S"),
    ("user/libmicrokit/src/riscv64/probe.S", "rust/libmicrokit/src/riscv64/probe.S"),
    ("user/libmicrokit/src/x86_64/probe.S", "rust/libmicrokit/src/x86_64/probe.S"),
];
/// The workspace of the repository, from which crates inherit.
const WORKSPACE: &str = include_str!("../../../Cargo.toml");
/// The lock file that cargo writes beside a manifest.
const LOCK: &str = "Cargo.lock";

/// Brings documents and sources in the SDK up to date.
///
/// # Errors
/// When a file cannot be read or written.
pub fn write(workspace: &Workspace) -> Outcome {
    let sdk = workspace.sdk();
    files::write(&sdk.join("VERSION"), version::file(&version::commit(workspace)))?;
    let mut wanted = BTreeMap::new();
    for path in sources(workspace)? {
        let text = files::read(&workspace.path(&path))?;
        if let Some(place) = place(&path) {
            wanted.insert(place, translated(&text, &path));
        }
    }
    for (_, folder) in FOLDERS {
        let inside = |(path, text): (&PathBuf, &String)| {
            Some((path.strip_prefix(folder).ok()?.to_owned(), text.clone()))
        };
        files::fill(&sdk.join(folder), &wanted.iter().filter_map(inside).collect())?;
    }
    DOCUMENTS.iter().try_for_each(|(_, to)| files::write(&sdk.join(to), &wanted[Path::new(to)]))?;
    files::write(&sdk.join("rust/Cargo.toml"), crates_workspace())
}

/// The workspace of the crates for Rust programs.
fn crates_workspace() -> String {
    let package = WORKSPACE.split("\n\n").find(|section| section.starts_with("[workspace.package]"));
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"limen\", \"limen-abi\"]\n\n{}\n\n\
         [workspace.lints]\n\n[workspace.dependencies]\nlimen-abi = {{ path = \"limen-abi\" }}\n",
        package.unwrap_or_default()
    )
}

/// The files to copy, relative to the repository.
fn sources(workspace: &Workspace) -> Outcome<Vec<PathBuf>> {
    let mut found: Vec<_> = DOCUMENTS.iter().map(|(from, _)| PathBuf::from(from)).collect();
    for (folder, _) in FOLDERS {
        let files = files::below(&workspace.path(folder))?;
        let files = files.iter().filter(|file| !file.ends_with(LOCK));
        found.extend(files.map(|file| Path::new(folder).join(file)));
    }
    Ok(found)
}

/// The place of a file or folder in the SDK; `None` if it is not included.
pub fn place(path: &Path) -> Option<PathBuf> {
    let document =
        DOCUMENTS.iter().find(|(from, _)| path == Path::new(from)).map(|(_, to)| PathBuf::from(to));
    let folder = |(from, to): &(&str, &str)| Some(Path::new(to).join(path.strip_prefix(from).ok()?));
    document.or_else(|| FOLDERS.iter().find_map(folder))
}

/// Rewrites the links of a document for the SDK. A link to a file outside the SDK becomes text.
fn translated(text: &str, path: &Path) -> String {
    let folder = path.parent().unwrap_or(Path::new(""));
    let Some(new_folder) = place(path).and_then(|place| Some(place.parent()?.to_owned())) else {
        return text.to_owned();
    };
    if path.extension().is_none_or(|ending| ending != "md") {
        return text.to_owned();
    }
    links::rewrite(text, |words, target| {
        let target = links::resolve(folder, target)?;
        Some(match place(&target) {
            Some(place) => Replacement::File(links::relative(&new_folder, &place)),
            None => links::in_sources(words, &target),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files_of_the_sdk() {
        let text =
            "[a](../CAVEATS.md) [b](decisions/0001.md#why) [c](../examples/tour/README.md) [d](../LICENSE)";
        let wanted =
            "[a](CAVEATS.md) [b](decisions/0001.md#why) [c](../example/tour/README.md) [d](../LICENSE.md)";
        assert_eq!(translated(text, Path::new("docs/book.md")), wanted);
    }

    #[test]
    fn crates_inherit_the_version() {
        assert!(
            crates_workspace()
                .contains(&format!("\n[workspace.package]\nversion = \"{}\"\n", version::NUMBER))
        );
    }

    #[test]
    fn files_outside_the_sdk_are_named() {
        let text = "[abi/image](../abi/image), [code.rs](../host/sdf/src/code.rs), [the list](../host/sdf/src/code.rs)";
        let wanted = "`abi/image`, `host/sdf/src/code.rs`, the list (in the sources: `host/sdf/src/code.rs`)";
        assert_eq!(translated(text, Path::new("docs/book.md")), wanted);
    }
}
