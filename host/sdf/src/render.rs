//! Diagnostics as text for a terminal.

use crate::diagnostic::{Diagnostic, Span};

/// Columns of a source line to show at most; generated files can have very long lines.
const WIDTH: usize = 100;

/// The message, the source line with a caret below the place, and the help with the code of the rule.
///
/// Without `source`, or when it does not reach to the place, the source line is left out. Ends without a newline.
pub fn render(diagnostic: &Diagnostic, source: Option<&str>) -> String {
    let mut text = diagnostic.message.clone();
    if let (Some(span), Some(source)) = (&diagnostic.span, source) {
        text.push_str(&excerpt(span, source).unwrap_or_default());
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("\nhelp: {help} [{}]", diagnostic.code));
    }
    text
}

fn excerpt(span: &Span, source: &str) -> Option<String> {
    let line = source.split('\n').nth(span.line.checked_sub(1)? as usize)?;
    let column = span.column.checked_sub(1)? as usize;
    let skipped = (column + WIDTH / 2).saturating_sub(WIDTH);
    let shown: String = line.trim_end().chars().skip(skipped).take(WIDTH).map(printable).collect();
    let indent: String = line.chars().skip(skipped).take(column - skipped).map(blank).collect();
    let number = span.line.to_string();
    let margin = " ".repeat(number.len());
    Some(format!("\n{number} | {shown}\n{margin} | {indent}^"))
}

/// Keeps a file from controlling the terminal.
fn printable(character: char) -> char {
    if character.is_control() && character != '\t' { char::REPLACEMENT_CHARACTER } else { character }
}

/// Tabs stay, so that the caret stands below its character.
fn blank(character: char) -> char {
    if character == '\t' { '\t' } else { ' ' }
}
