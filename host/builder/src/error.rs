//! Short ways to write a diagnostic.

use limen_sdf::{Diagnostic, Span};

/// A diagnostic that no place in a description is to blame for.
pub(crate) fn error(code: &'static str, message: String) -> Diagnostic {
    Diagnostic { code, span: None, message, help: None }
}

/// What the builder adds to a diagnostic as it learns more about the cause.
pub(crate) trait Context {
    /// The element of the description that led here, if there is one; the message ends with its place.
    fn at<'a>(self, span: impl Into<Option<&'a Span>>) -> Self;
    /// What to do about it.
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
