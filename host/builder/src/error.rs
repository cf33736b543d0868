//! Helpers to construct diagnostics.

use limen_sdf::{Diagnostic, Span};

/// A diagnostic without a location in a description.
pub(crate) fn error(code: &'static str, message: String) -> Diagnostic {
    Diagnostic { code, span: None, message, help: None }
}

/// Details that the builder adds to a diagnostic.
pub(crate) trait Context {
    /// The element of the description that is the cause, if any; the message ends with its location.
    fn at<'a>(self, span: impl Into<Option<&'a Span>>) -> Self;
    /// The fix.
    fn help(self, help: impl Into<String>) -> Self;
}

impl Context for Diagnostic {
    fn at<'a>(self, span: impl Into<Option<&'a Span>>) -> Self {
        match span.into() {
            Some(span) => {
                Self { message: format!("{}: {span}", self.message), span: Some(span.clone()), ..self }
            }
            None => self,
        }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
