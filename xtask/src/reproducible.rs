//! Paths of this machine, which must not be in the SDK: the same sources give the same bytes wherever they lie.
//!
//! Compilers put paths into debug information and into messages about panics. They are told to write other ones
//! instead. For the C parts, `user/c_flags.mk` does the same.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Outcome};
use crate::files;
use crate::version;
use crate::workspace::Workspace;

/// Where the SDK says that its sources are.
const SOURCES: &str = "/usr/src/limen";
/// Where it says that crates from outside are.
const CRATES: &str = "/usr/src/cargo";

/// Options of cargo for what goes into the SDK, apart from those of `.cargo/config.toml`, which stay in force.
pub struct CargoOptions(Vec<String>);

impl CargoOptions {
    /// Replaces the paths of this machine.
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

    /// With these options of the compiler as well.
    #[must_use]
    pub fn with(mut self, options: &[&str]) -> Self {
        self.0.extend(options.iter().map(|option| (*option).to_owned()));
        self
    }

    /// The words for cargo. They need `--target`, without which they would hold for build scripts too.
    pub fn words(&self) -> [String; 2] {
        // TOML takes everything between such quotes as it is.
        let options: Vec<_> = self.0.iter().map(|option| format!("'''{option}'''")).collect();
        ["--config".to_owned(), format!("target.'cfg(all())'.rustflags = [{}]", options.join(", "))]
    }
}

/// Where cargo keeps crates from outside.
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

/// Whether a path, or one below it, stands in a file. `/usr/src/limen/x` is not below `/src/limen`.
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

/// Where `wanted`, which is not empty, first stands.
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
    fn a_path_is_found_where_it_begins_and_ends() {
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
