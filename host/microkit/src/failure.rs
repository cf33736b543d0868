//! Failures of the tool, for `main` to print.

use limen_sdf::Diagnostic;

/// A failure of the command line or of the build.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The combination of arguments is invalid.
    Usage(String),
    /// An option has an invalid value.
    Value(String),
    /// The description or the build has errors. `source` is the text that the diagnostics refer to.
    Diagnostics { source: Option<String>, diagnostics: Vec<Diagnostic> },
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostics { source: None, diagnostics: vec![diagnostic] }
    }
}
