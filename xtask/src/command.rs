//! What a command of `./x` is.

use crate::failure::{Failure, Outcome};
use crate::workspace::Workspace;

/// One command: how it is listed, explained and run.
pub struct Command {
    /// The word that selects it.
    pub name: &'static str,
    /// One line for the list of commands.
    pub summary: &'static str,
    /// What `./x NAME --help` prints: usage, what it does, options.
    pub help: &'static str,
    /// Runs it with the arguments that follow its name.
    pub run: fn(&Workspace, lexopt::Parser) -> Outcome,
}

/// Rejects every argument: for commands that take none.
///
/// # Errors
/// When there is an argument.
pub fn no_arguments(mut arguments: lexopt::Parser) -> Outcome {
    match arguments.next()? {
        None => Ok(()),
        Some(unexpected) => Err(unexpected.unexpected().into()),
    }
}

/// A value that must be one of a list.
///
/// # Errors
/// When it is not; the failure lists what is possible.
pub fn one_of(what: &str, value: String, choices: &[&str]) -> Outcome<String> {
    if choices.contains(&value.as_str()) {
        return Ok(value);
    }
    Err(Failure::new(format!("there is no {what} '{value}'; choose from: {}", choices.join(", "))))
}
