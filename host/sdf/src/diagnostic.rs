//! Diagnostics: the error, its location and the fix.

use std::fmt;

/// A location in a file. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// File name from the command line.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// An error or warning for a person.
///
/// `message` is the complete first line, in the wording that Microkit users and their tests know. It names the start
/// tag of the element to blame; if the known wording has no location, the location is at the end. `span` may be more
/// exact: the attribute to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable short name of the rule, such as `pd-priority-range`; documented in `docs/diagnostics.md`.
    pub code: &'static str,
    /// The location. `None` only when no file is to blame.
    pub span: Option<Span>,
    /// The error: the first line of the output.
    pub message: String,
    /// The rule or the fix, in one sentence.
    pub help: Option<String>,
}

/// The first diagnostics of a run.
///
/// Later ones are counted and dropped, so that a long description with a mistake in every line costs no more time and
/// memory than one without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    kept: Vec<Diagnostic>,
    count: usize,
}

impl Problems {
    /// Maximum number of diagnostics kept.
    pub const MOST: usize = 100;

    pub(crate) fn push(&mut self, problem: Diagnostic) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            self.kept.push(problem);
        }
    }

    /// Number of diagnostics, dropped ones included.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether another diagnostic would be dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.count >= Self::MOST
    }

    /// The kept diagnostics.
    pub fn into_kept(self) -> Vec<Diagnostic> {
        self.kept
    }
}

impl Extend<Diagnostic> for Problems {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, problems: T) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl FromIterator<Diagnostic> for Problems {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(problems: T) -> Self {
        let mut all = Self::default();
        all.extend(problems);
        all
    }
}

impl Diagnostic {
    pub(crate) fn new(code: &'static str, span: &Span, message: String, help: impl Into<String>) -> Self {
        Self { code, span: Some(span.clone()), message, help: Some(help.into()) }
    }
}
