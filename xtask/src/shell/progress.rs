//! Progress of long work: on a terminal, a line that the next one overwrites; elsewhere, a line for each step.

use std::io::{IsTerminal, stderr};

/// Columns that every terminal has: a wrapped line could not be overwritten.
const COLUMNS: usize = 79;

/// Shows a line until the next call, on a terminal only.
pub fn show(text: &str) {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K{}", text.chars().take(COLUMNS).collect::<String>());
    }
}

/// Removes the line, so that permanent lines can be printed.
pub fn clear() {
    show("");
}

/// Work that consists of a known number of steps.
#[derive(Debug)]
pub struct Steps {
    started: usize,
    of: usize,
}

impl Steps {
    /// Work of `of` steps.
    pub fn new(of: usize) -> Self {
        Self { started: 0, of }
    }

    /// Shows the step that starts.
    pub fn next(&mut self, step: &str) {
        self.started += 1;
        let line = format!("[{}/{}] {step}", self.started, self.of);
        if stderr().is_terminal() {
            show(&line);
        } else {
            eprintln!("{line}");
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        clear();
    }
}
