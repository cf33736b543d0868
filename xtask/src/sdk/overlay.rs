//! An SDK that differs from the finished one in one folder or file and shares all others.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Outcome};
use crate::shell::files;

/// Links everything in `sdk` but the folder `own`, as in `board/NAME/release/elf`, into `other`. The caller fills that folder.
///
/// # Errors
/// When a folder cannot be read, or a link cannot be written.
pub fn share(sdk: &Path, other: &Path, own: &Path) -> Outcome {
    share_others(sdk, other, own)?;
    fs::create_dir_all(other.join(own)).context(|| format!("cannot create {}", other.join(own).display()))
}

/// The same for a file with other contents.
///
/// # Errors
/// As [`share`], or when the file cannot be written.
pub fn replace(sdk: &Path, other: &Path, own: &Path, contents: &str) -> Outcome {
    share_others(sdk, other, own)?;
    files::write(&other.join(own), contents)
}

fn share_others(sdk: &Path, other: &Path, own: &Path) -> Outcome {
    let mut folder = PathBuf::new();
    for part in own {
        share_all_but(part, &sdk.join(&folder), &other.join(&folder))?;
        folder.push(part);
    }
    Ok(())
}

fn share_all_but(part: &OsStr, from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to).context(|| format!("cannot create {}", to.display()))?;
    let entries = fs::read_dir(from).context(|| format!("cannot list {}", from.display()))?;
    for entry in entries.flatten().filter(|entry| entry.file_name() != part) {
        let link = to.join(entry.file_name());
        if link.read_link().is_ok_and(|present| present == entry.path()) {
            continue;
        }
        // A link of an SDK that was elsewhere.
        _ = fs::remove_file(&link);
        symlink(entry.path(), &link).context(|| format!("cannot create {}", link.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_the_own_folder_is_shared() {
        let top = std::env::temp_dir().join(format!("limen-overlay-{}", std::process::id()));
        let (sdk, other) = (top.join("sdk"), top.join("other"));
        for file in ["bin/tool", "board/a/release/elf/kernel", "board/a/debug/elf/kernel", "board/b/text"] {
            files::write(&sdk.join(file), file).unwrap();
        }
        for _ in 0..2 {
            share(&sdk, &other, Path::new("board/a/release/elf")).unwrap();
        }
        let third = top.join("third");
        replace(&sdk, &third, Path::new("board/b/text"), "own").unwrap();
        let of_third = ["bin/tool", "board/b/text"].map(|file| files::read(&third.join(file)).unwrap());
        assert_eq!(of_third, ["bin/tool", "own"]);
        files::write(&other.join("board/a/release/elf/kernel"), "own").unwrap();
        let read = |file: &str| files::read(&other.join(file)).unwrap();
        assert_eq!(read("bin/tool") + &read("board/b/text"), "bin/toolboard/b/text");
        assert_eq!(read("board/a/debug/elf/kernel"), "board/a/debug/elf/kernel");
        assert_eq!(read("board/a/release/elf/kernel"), "own");
        assert_eq!(
            files::read(&sdk.join("board/a/release/elf/kernel")).unwrap(),
            "board/a/release/elf/kernel"
        );
        fs::remove_dir_all(top).unwrap();
    }
}
