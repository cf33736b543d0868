//! Why a command did not succeed: one sentence for the person at the terminal.

use std::fmt;

/// What every command returns.
pub type Outcome<T = ()> = Result<T, Failure>;

/// A sentence that says what went wrong and, where it helps, what to do.
#[derive(Debug)]
pub struct Failure {
    sentence: String,
    /// An option that the command does not have, if that is what went wrong.
    unknown_option: Option<String>,
}

impl Failure {
    /// Wraps a sentence; `main` prints it after `error: `.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), unknown_option: None }
    }

    /// A failure that the command has explained already; `main` only passes it on as the exit status.
    pub fn explained() -> Self {
        Self::new("")
    }

    /// The option that the command does not have, if that is what went wrong.
    pub fn unknown_option(&self) -> Option<&str> {
        self.unknown_option.as_deref()
    }

    /// Whether nothing remains to be said.
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

/// Turns an error of the standard library into a [`Failure`] that says what was being attempted.
pub trait Context<T> {
    /// `what` names the attempt, as in "cannot read README.md".
    ///
    /// # Errors
    /// The error of `self`, explained.
    fn context(self, what: impl FnOnce() -> String) -> Outcome<T>;
}

impl<T, E: fmt::Display> Context<T> for Result<T, E> {
    fn context(self, what: impl FnOnce() -> String) -> Outcome<T> {
        self.map_err(|error| Failure::new(format!("{}: {error}", what())))
    }
}
