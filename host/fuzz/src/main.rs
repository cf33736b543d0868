//! Writes what the fuzzer of a target starts from: a folder with its first inputs, and beside it its dictionary.

#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use limen_fuzz::{TARGETS, Target};

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let target = TARGETS.into_iter().find(|target| words.first().is_some_and(|name| name == target.name));
    let (Some(target), [_, folder]) = (target, &*words) else {
        eprintln!("usage: limen-fuzz TARGET FOLDER");
        return ExitCode::FAILURE;
    };
    match write(&target, Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot write to {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

fn write(target: &Target, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (number, input) in (target.seeds)().iter().enumerate() {
        fs::write(folder.join(number.to_string()), input)?;
    }
    let line = |word: &&[u8]| {
        format!("\"{}\"\n", word.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>())
    };
    fs::write(folder.with_extension("dict"), target.words.iter().map(line).collect::<String>())
}
