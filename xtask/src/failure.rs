//! The failure of a command: one sentence for the user.

use std::fmt;

/// The result of every command.
pub type Outcome<T = ()> = Result<T, Failure>;

/// A sentence that states the problem and, if possible, the fix.
#[derive(Debug)]
pub struct Failure {
    sentence: String,
    /// The unknown option, if that is the problem.
    unknown_option: Option<String>,
}

impl Failure {
    /// Wraps a sentence; `main` prints it after `error: `.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), unknown_option: None }
    }

    /// A failure that the command has already reported; `main` only sets the exit status.
    pub fn explained() -> Self {
        Self::new("")
    }

    /// The unknown option, if that is the problem.
    pub fn unknown_option(&self) -> Option<&str> {
        self.unknown_option.as_deref()
    }

    /// Whether the failure has already been reported.
    pub fn is_explained(&self) -> bool {
        self.sentence.is_empty()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Self {
        let unknown_option = match &error {
            lexopt::Error::UnexpectedOption(option) => Some(option.clone()),
            _ => None,
        };
        Self { sentence: error.to_string(), unknown_option }
    }
}

/// Turns an error of the standard library into a [`Failure`] that names the attempted action.
pub trait Context<T> {
    /// `what` names the action, as in "cannot read README.md".
    ///
    /// # Errors
    /// The error of `self`, with the action.
    fn context(self, what: impl FnOnce() -> String) -> Outcome<T>;
}

impl<T, E: fmt::Display> Context<T> for Result<T, E> {
    fn context(self, what: impl FnOnce() -> String) -> Outcome<T> {
        self.map_err(|error| Failure::new(format!("{}: {error}", what())))
    }
}
