//! What is going on, for a person at a terminal: a line that the next one overwrites. Elsewhere nothing is shown, so that
//! logs hold results only.

use std::io::{IsTerminal, stderr};

/// Columns that every terminal has: a line that is broken could not be overwritten.
const COLUMNS: usize = 79;

/// Shows a line until the next call.
pub fn show(text: &str) {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K{}", text.chars().take(COLUMNS).collect::<String>());
    }
}

/// Takes the line away, so that lines that stay can be printed.
pub fn clear() {
    show("");
}
