//! Renders a folder of chapters as HTML with a search.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use mdbook_driver::errors::Result;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let [folder, output] = words.as_slice() else {
        eprintln!("usage: limen-book FOLDER OUTPUT");
        return ExitCode::FAILURE;
    };
    match render(Path::new(folder), Path::new(output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Renders the chapters in `folder/src` as `folder/book.toml` says. Variables of the environment have no effect.
fn render(folder: &Path, output: &Path) -> Result<()> {
    let mut config = Config::from_disk(folder.join("book.toml"))?;
    config.build.build_dir = output.to_owned();
    MDBook::load_with_config(folder, config)?.build()
}
