//! Diagnostics as text for a terminal.

use crate::attribute::breaks_lines;
use crate::diagnostic::{Diagnostic, Problems, Span};

/// Most columns of a source line to print; generated files can have very long lines.
const WIDTH: usize = 100;

/// The message, the source line with a caret, and the help with the code of the rule.
///
/// Omits the source line without `source`, or when `source` is too short. Ends without a newline.
pub fn render(diagnostic: &Diagnostic, source: Option<&str>) -> String {
    let mut text = diagnostic.message.split('\n').map(one_line).collect::<Vec<_>>().join("\n");
    if let (Some(span), Some(source)) = (&diagnostic.span, source) {
        text.push_str(&excerpt(span, source).unwrap_or_default());
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("\nhelp: {} [{}]", one_line(help), diagnostic.code));
    }
    text
}

/// Several diagnostics, each with a newline. At the limit, the last line says that there may be more.
pub fn render_all(diagnostics: &[Diagnostic], source: Option<&str>) -> String {
    let mut text: String = diagnostics.iter().map(|diagnostic| render(diagnostic, source) + "\n").collect();
    if diagnostics.len() == Problems::MOST {
        text += &format!("These are the first {}; there may be more.\n", Problems::MOST);
    }
    text
}

fn excerpt(span: &Span, source: &str) -> Option<String> {
    let line = source.split('\n').nth(span.line.checked_sub(1)? as usize)?;
    let column = span.column.checked_sub(1)? as usize;
    let skipped = (column + WIDTH / 2).saturating_sub(WIDTH);
    let shown: String = line.trim_end().chars().skip(skipped).take(WIDTH).map(in_source).collect();
    let indent: String = line.chars().skip(skipped).take(column - skipped).map(blank).collect();
    let number = span.line.to_string();
    let margin = " ".repeat(number.len());
    Some(format!("\n{number} | {shown}\n{margin} | {indent}^"))
}

/// A text without line ends and terminal controls.
pub fn one_line(text: &str) -> String {
    text.chars().map(printable).collect()
}

/// Prevents a file from controlling the terminal.
fn printable(character: char) -> char {
    if breaks_lines(character) { char::REPLACEMENT_CHARACTER } else { character }
}

/// The same for a line of the file, but keeps tabs.
fn in_source(character: char) -> char {
    if character == '\t' { '\t' } else { printable(character) }
}

/// Keeps tabs, so that the caret stays below its character.
fn blank(character: char) -> char {
    if character == '\t' { '\t' } else { ' ' }
}
