//! `print!` and its relatives, in place of those of the standard library, which panic if the reader of a pipe has
//! closed it, as in `./x --help | head -1`. Here the program ends silently, with the exit status of SIGPIPE.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process;

/// The exit status that a shell reports for SIGPIPE.
const READER_GONE: i32 = 128 + 13;

macro_rules! print {
    ($($words:tt)*) => { $crate::shell::console::to_stdout(format_args!($($words)*)) };
}

macro_rules! println {
    ($($words:tt)*) => { $crate::shell::console::to_stdout(format_args!("{}\n", format_args!($($words)*))) };
}

macro_rules! eprint {
    ($($words:tt)*) => { $crate::shell::console::to_stderr(format_args!($($words)*)) };
}

macro_rules! eprintln {
    ($($words:tt)*) => { $crate::shell::console::to_stderr(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints for `print!` and `println!`.
pub fn to_stdout(text: Arguments) {
    write(stdout().lock(), text.to_string().as_bytes());
}

/// Prints for `eprint!` and `eprintln!`.
pub fn to_stderr(text: Arguments) {
    write(stderr().lock(), text.to_string().as_bytes());
}

/// Prints bytes that may end within a line.
pub fn show(bytes: &[u8]) {
    write(stdout().lock(), bytes);
}

/// Errors other than a closed pipe are reported on the error output; if that fails, they are lost.
fn write(mut to: impl Write, bytes: &[u8]) {
    let Err(error) = to.write_all(bytes).and_then(|()| to.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        process::exit(READER_GONE);
    }
    _ = stderr().write_all(format!("error: cannot print: {error}\n").as_bytes());
    process::exit(1);
}
