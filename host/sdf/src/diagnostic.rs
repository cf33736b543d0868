//! What is wrong, where, and what to do about it.

use std::fmt;

/// A place in a file. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// File as it was named on the command line.
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
/// `message` is the whole first line, in the wording that Microkit users and their tests know. It names the start tag
/// of the element to blame; where the known wording has no location, the location stands at its end. `span` is more
/// exact: the attribute, when one is to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable short name of the rule, such as `pd-priority-range`; documented in `docs/diagnostics.md`.
    pub code: &'static str,
    /// Where. `None` only when no file is to blame.
    pub span: Option<Span>,
    /// What is wrong: the first line as printed.
    pub message: String,
    /// What is allowed, or what to do: one sentence.
    pub help: Option<String>,
}

/// The first diagnostics of a run, as many as a person looks at.
///
/// Later ones are counted and dropped, so that a long description with a mistake in every line takes no more time and
/// memory than one without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    kept: Vec<Diagnostic>,
    count: usize,
}

impl Problems {
    /// Most diagnostics that are kept.
    pub const MOST: usize = 100;

    pub(crate) fn push(&mut self, problem: Diagnostic) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            self.kept.push(problem);
        }
    }

    /// How many there were, those that were dropped included.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether another one is only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.count >= Self::MOST
    }

    /// Those that were kept.
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
