//! Writes files only if their contents change, so that nothing that depends on them is rebuilt.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Outcome};

/// Reads a text file.
///
/// # Errors
/// When the file cannot be read or is not text.
pub fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).context(|| format!("cannot read {}", path.display()))
}

/// Writes a file unless it already holds exactly these bytes. Readers see either the old file or the new one.
///
/// # Errors
/// When the file or its folder cannot be written.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Outcome {
    let contents = contents.as_ref();
    if fs::read(path).is_ok_and(|present| present == contents) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    let fresh = path.with_added_extension("new");
    fs::write(&fresh, contents).context(|| format!("cannot write {}", fresh.display()))?;
    fs::rename(&fresh, path).context(|| format!("cannot replace {}", path.display()))
}

/// Copies a file with its permissions, unless the copy already has the same contents.
///
/// # Errors
/// When either file cannot be accessed.
pub fn copy(from: &Path, to: &Path) -> Outcome {
    let contents = fs::read(from).context(|| format!("cannot read {}", from.display()))?;
    write(to, contents)?;
    let permissions =
        fs::metadata(from).context(|| format!("cannot inspect {}", from.display()))?.permissions();
    fs::set_permissions(to, permissions).context(|| format!("cannot set permissions of {}", to.display()))
}

/// Makes `to` hold exactly the files of `from` (except build output), and those that `keep` names.
///
/// # Errors
/// When a file cannot be read, written or removed.
pub fn mirror(from: &Path, to: &Path, keep: &BTreeSet<PathBuf>) -> Outcome {
    let wanted = below(from)?;
    for file in &wanted {
        copy(&from.join(file), &to.join(file))?;
    }
    remove_others(to, |file| wanted.contains(file) || keep.contains(file))
}

/// Makes `to` hold exactly these files, whose names are relative to it.
///
/// # Errors
/// When a file cannot be written or removed.
pub fn fill(to: &Path, wanted: &BTreeMap<PathBuf, String>) -> Outcome {
    wanted.iter().try_for_each(|(file, text)| write(&to.join(file), text))?;
    remove_others(to, |file| wanted.contains_key(file))
}

fn remove_others(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Outcome {
    for file in below(folder)?.iter().filter(|file| !is_wanted(file)) {
        let stale = folder.join(file);
        fs::remove_file(&stale).context(|| format!("cannot remove {}", stale.display()))?;
    }
    Ok(())
}

/// Every file below a folder, relative to it; empty if the folder does not exist. Folders named `build` hold output and
/// are skipped.
///
/// # Errors
/// When a folder cannot be read.
pub fn below(folder: &Path) -> Outcome<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(relative) = pending.pop() {
        let here = folder.join(&relative);
        if !here.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&here).context(|| format!("cannot list {}", here.display()))? {
            let entry = entry.context(|| format!("cannot list {}", here.display()))?;
            let name = relative.join(entry.file_name());
            match entry.path().is_dir() {
                true if entry.file_name() != "build" => pending.push(name),
                true => {}
                false => _ = found.insert(name),
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("limen-files-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn equal_contents_leave_the_file_alone() {
        let folder = scratch("equal");
        let file = folder.join("sub/file");
        write(&file, "one").unwrap();
        let before = fs::metadata(&file).unwrap().modified().unwrap();
        write(&file, "one").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
        write(&file, "two").unwrap();
        assert_eq!(read(&file).unwrap(), "two");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn fill_removes_all_other_files() {
        let folder = scratch("fill");
        write(&folder.join("sub/stale"), "s").unwrap();
        fill(&folder, &BTreeMap::from([(PathBuf::from("a"), "a".to_owned())])).unwrap();
        assert_eq!(below(&folder).unwrap(), BTreeSet::from([PathBuf::from("a")]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn mirror_removes_files_that_the_source_lost_and_keeps_the_named_ones() {
        let folder = scratch("mirror");
        let (from, to) = (folder.join("from"), folder.join("to"));
        write(&from.join("a"), "a").unwrap();
        write(&from.join("build/output"), "o").unwrap();
        write(&to.join("stale"), "s").unwrap();
        write(&to.join("generated"), "g").unwrap();
        mirror(&from, &to, &BTreeSet::from([PathBuf::from("generated")])).unwrap();
        assert_eq!(below(&to).unwrap(), BTreeSet::from([PathBuf::from("a"), PathBuf::from("generated")]));
        fs::remove_dir_all(folder).unwrap();
    }
}
