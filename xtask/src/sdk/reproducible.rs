//! Removes paths of this machine from the SDK: the same sources give the same bytes in every folder.
//!
//! Compilers write paths to debug information and panic messages. These options remap them. For the C parts,
//! `user/c_flags.mk` does the same.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Outcome};
use crate::sdk::version;
use crate::shell::files;
use crate::workspace::Workspace;

/// The path of the sources, according to the SDK.
const SOURCES: &str = "/usr/src/limen";
/// The path of external crates, according to the SDK.
const CRATES: &str = "/usr/src/cargo";

/// Cargo options for the contents of the SDK, in addition to those of `.cargo/config.toml`.
pub struct CargoOptions(Vec<String>);

impl CargoOptions {
    /// Options that remap the paths of this machine.
    ///
    /// # Errors
    /// When the compiler cannot be started.
    pub fn new(workspace: &Workspace) -> Outcome<Self> {
        let sysroot = version::sysroot()?.join("lib/rustlib/src/rust");
        let own = format!("/rustc/{}", version::rustc_fact("commit-hash")?);
        let maps = [(workspace.root().to_owned(), SOURCES), (cargo_home(), CRATES), (sysroot, &own)];
        let options = maps.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        Ok(Self(options.collect()))
    }

    /// Adds these compiler options.
    #[must_use]
    pub fn with(mut self, options: &[&str]) -> Self {
        self.0.extend(options.iter().map(|option| (*option).to_owned()));
        self
    }

    /// The arguments for cargo. They need `--target`: without it, they would apply to build scripts as well.
    pub fn words(&self) -> [String; 2] {
        // TOML takes everything between these quotes literally.
        let options: Vec<_> = self.0.iter().map(|option| format!("'''{option}'''")).collect();
        ["--config".to_owned(), format!("target.'cfg(all())'.rustflags = [{}]", options.join(", "))]
    }
}

/// Cargo's home folder, with external crates.
pub fn cargo_home() -> PathBuf {
    let usual = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo");
    env::var_os("CARGO_HOME").map_or_else(usual, PathBuf::from)
}

/// The files below a folder that contain a path of this machine.
///
/// # Errors
/// When a file cannot be read.
pub fn leaks(workspace: &Workspace, folder: &Path) -> Outcome<Vec<PathBuf>> {
    let paths = [workspace.root().to_owned(), workspace.target(), cargo_home(), version::sysroot()?];
    let paths: Vec<_> = paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
    let mut found = Vec::new();
    for file in files::below(folder)? {
        let path = folder.join(&file);
        let contents = fs::read(&path).context(|| format!("cannot read {}", path.display()))?;
        if paths.iter().any(|path| contains_path(&contents, path)) {
            found.push(file);
        }
    }
    Ok(found)
}

/// Whether a file contains a path, or one below it. `/usr/src/limen/x` is not below `/src/limen`.
fn contains_path(contents: &[u8], path: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    if path == SOURCES.as_bytes() || path == b"/" {
        return false;
    }
    let mut rest = contents;
    let mut before = None;
    while let Some(place) = find(rest, path) {
        let end = place + path.len();
        let starts = !place.checked_sub(1).map_or(before, |place| rest.get(place)).is_some_and(is_name);
        if starts && !rest.get(end).is_some_and(is_name) {
            return true;
        }
        before = rest.get(end - 1);
        rest = &rest[end..];
    }
    false
}

/// The position of the first `wanted`, which is not empty.
fn find(contents: &[u8], wanted: &[u8]) -> Option<usize> {
    let (first, others) = wanted.split_first()?;
    let mut start = 0;
    loop {
        start += contents.get(start..)?.iter().position(|byte| byte == first)?;
        if contents[start + 1..].starts_with(others) {
            return Some(start);
        }
        start += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_paths_are_found() {
        let has = |text: &str| contains_path(text.as_bytes(), b"/src/limen");
        for text in ["/src/limen", "\0/src/limen\0", "=/src/limen/user", "/usr/src/limen /src/limen/x"] {
            assert!(has(text), "{text}");
        }
        for text in ["", "/src/lime", "/usr/src/limen/x", "/src/limen-2/x", "/src/limens"] {
            assert!(!has(text), "{text}");
        }
    }

    #[test]
    fn paths_may_have_spaces_and_quotes() {
        let options = CargoOptions(vec!["--remap-path-prefix=/a b/\"c\"=/x".to_owned()]).with(&["-Cx"]);
        let config = "target.'cfg(all())'.rustflags = ['''--remap-path-prefix=/a b/\"c\"=/x''', '''-Cx''']";
        assert_eq!(options.words(), ["--config", config]);
    }
}
