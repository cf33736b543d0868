//! Packs a folder into a `.tar.gz`, whose bytes depend only on names, contents and a given time.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

use crate::failure::{Context, Outcome};

/// rwx for the owner, r-x for all others.
const EXECUTABLE: u32 = 0o755;
const PLAIN: u32 = 0o644;

/// The operating system field of the gzip header: unknown.
const NO_SYSTEM: u8 = 255;

/// Packs `folder` into `file`, under the name `top`. Every entry gets `time`, in seconds since 1970, and belongs to
/// user 0. Links stay links.
///
/// # Errors
/// When a file cannot be read or the archive cannot be written.
pub fn pack(folder: &Path, top: &str, time: u64, file: &Path) -> Outcome {
    let written = || format!("cannot write {}", file.display());
    let output = File::create(file).context(written)?;
    let gzip = GzBuilder::new().operating_system(NO_SYSTEM).write(output, Compression::best());
    let mut archive = tar::Builder::new(gzip);
    add(&mut archive, folder, Path::new(top), time)?;
    archive.into_inner().and_then(|gzip| gzip.finish()).and_then(|mut output| output.flush()).context(written)
}

/// Adds a file, a link, or a folder with its contents.
fn add(archive: &mut tar::Builder<impl Write>, path: &Path, name: &Path, time: u64) -> Outcome {
    let failed = || format!("cannot pack {}", path.display());
    let metadata = path.symlink_metadata().context(failed)?;
    let mut header = Header::new_ustar();
    header.set_mtime(time);
    header.set_mode(if metadata.permissions().mode() & 0o111 == 0 { PLAIN } else { EXECUTABLE });
    header.set_uid(0);
    header.set_gid(0);
    if metadata.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        header.set_mode(0o777);
        let target = fs::read_link(path).context(failed)?;
        archive.append_link(&mut header, name, target).context(failed)
    } else if metadata.is_dir() {
        header.set_entry_type(EntryType::Directory);
        archive.append_data(&mut header, name.join(""), std::io::empty()).context(failed)?;
        let inside = sorted(path)?;
        inside.iter().try_for_each(|entry| {
            add(archive, entry, &name.join(entry.file_name().unwrap_or_default()), time)
        })
    } else {
        let contents = fs::read(path).context(failed)?;
        header.set_size(contents.len() as u64);
        archive.append_data(&mut header, name, contents.as_slice()).context(failed)
    }
}

fn sorted(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
    });
    let mut entries = entries.context(|| format!("cannot list {}", folder.display()))?;
    entries.sort();
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command as Process;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::shell::files;
    use crate::shell::process;

    fn folder(name: &str, names: &[&str], mode: u32, age: u64) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("limen-archive-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        for name in names {
            let file = folder.join("in").join(name);
            files::write(&file, name).unwrap();
            let run = if name.ends_with("tool") { mode & 0o111 } else { 0 };
            fs::set_permissions(&file, fs::Permissions::from_mode(mode & 0o666 | run)).unwrap();
            let time = SystemTime::now() - Duration::from_secs(age);
            File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
        }
        symlink("../b", folder.join("in/sub/link")).unwrap();
        folder
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let first = folder("first", &["b", "sub/tool", "sub/a"], 0o700, 1000);
        let second = folder("second", &["sub/a", "sub/tool", "b"], 0o775, 10);
        let packed = |folder: &Path| {
            pack(&folder.join("in"), "top-1", 1_000_000, &folder.join("out.tar.gz")).unwrap();
            fs::read(folder.join("out.tar.gz")).unwrap()
        };
        assert!(packed(&first) == packed(&second));
        let mut tar = Process::new("tar");
        tar.args(["--numeric-owner", "--utc", "--full-time", "-tvzf"]).arg(first.join("out.tar.gz"));
        let listing = process::capture(&mut tar).unwrap();
        let lines: Vec<Vec<_>> = listing.lines().map(|line| line.split_whitespace().collect()).collect();
        let seen: Vec<_> = lines.iter().map(|line| (line[0], line[5..].join(" "))).collect();
        let wanted = [
            ("drwxr-xr-x", "top-1/"),
            ("-rw-r--r--", "top-1/b"),
            ("drwxr-xr-x", "top-1/sub/"),
            ("-rw-r--r--", "top-1/sub/a"),
            ("lrwxrwxrwx", "top-1/sub/link -> ../b"),
            ("-rwxr-xr-x", "top-1/sub/tool"),
        ];
        assert_eq!(seen, wanted.map(|(mode, name)| (mode, name.to_owned())));
        assert!(lines.iter().all(|line| line[1] == "0/0" && line[3..5] == ["1970-01-12", "13:46:40"]));
        fs::remove_dir_all(first).unwrap();
        fs::remove_dir_all(second).unwrap();
    }
}
