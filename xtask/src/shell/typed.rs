//! Paths as a user types them in a shell: relative to the current folder, and quoted if the shell needs it.

use std::path::{Component, Path, PathBuf};

/// `path` relative to the folder `from`; both are absolute. A path that has nothing in common with `from` stays
/// absolute.
pub fn relative(path: &Path, from: &Path) -> PathBuf {
    let shared = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    if shared < 2 {
        return path.to_owned();
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let found: PathBuf = up.chain(path.components().skip(shared)).collect();
    if found.as_os_str().is_empty() { PathBuf::from(".") } else { found }
}

/// A path quoted as one word of a POSIX shell.
pub fn word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_where_the_user_is() {
        let relative =
            |path: &str, from: &str| relative(Path::new(path), Path::new(from)).display().to_string();
        assert_eq!(relative("/home/me/limen/build/sdk", "/home/me/limen"), "build/sdk");
        assert_eq!(relative("/home/me/limen/x", "/home/me/pa/app"), "../../limen/x");
        assert_eq!(relative("/home/me", "/home/me"), ".");
        assert_eq!(relative("/opt/sdk", "/home/me"), "/opt/sdk");
    }

    #[test]
    fn words_with_spaces_are_quoted() {
        assert_eq!(word(Path::new("../my-app_2")), "../my-app_2");
        assert_eq!(word(Path::new("../my app")), "'../my app'");
        assert_eq!(word(Path::new("it's")), r"'it'\''s'");
        assert_eq!(word(Path::new("")), "''");
    }
}
