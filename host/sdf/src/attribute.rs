//! The attributes of one element, with their errors.
//!
//! Each read function adds errors to the list of problems and returns [`Reported`]. A caller reads all attributes
//! before it gives up.

use limen_nearest::did_you_mean;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::grammar::Attribute;
use crate::xml::Element;

/// The value is unusable, and the list of problems has the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reported;

/// Attributes of an element, and the list for their problems.
pub(crate) struct Attributes<'a, 'p> {
    element: Element<'a>,
    problems: &'p mut Problems,
}

impl<'a, 'p> Attributes<'a, 'p> {
    /// Starts reading; an attribute that is not `known` is a problem.
    pub(crate) fn read(element: Element<'a>, known: &[Attribute], problems: &'p mut Problems) -> Self {
        let known: Vec<_> = known.iter().map(|attribute| attribute.name).collect();
        for (name, value, span) in element.attributes() {
            if let Some(character) = value.chars().find(|character| breaks_lines(*character)) {
                let text =
                    format!("attribute '{name}' contains the character U+{:04X}", u32::from(character));
                let help = "Remove it; names, paths and other values must print on one line, left to right.";
                let problem = value_error(code::ATTRIBUTE_CHARACTERS, &element, &text, help);
                problems.push(Diagnostic { span: Some(span.clone()), ..problem });
            }
            if !known.contains(&name.as_str()) {
                let text = format!("invalid attribute '{name}'");
                let mut problem = value_error(
                    code::UNKNOWN_ATTRIBUTE,
                    &element,
                    &text,
                    help_unknown(&element, &name, &known),
                );
                problem.span = Some(span);
                problems.push(problem);
            }
        }
        Self { element, problems }
    }

    /// The element.
    pub(crate) fn element(&self) -> Element<'a> {
        self.element
    }

    /// The list of problems.
    pub(crate) fn problems(&mut self) -> &mut Problems {
        self.problems
    }

    /// An optional attribute.
    pub(crate) fn optional(&self, name: &str) -> Option<&'a str> {
        self.element.attribute(name)
    }

    /// A required attribute.
    pub(crate) fn required(&mut self, name: &str) -> Result<&'a str, Reported> {
        self.optional(name).ok_or_else(|| {
            let (element, span) = (self.element.name(), self.element.span());
            let message =
                format!("Error: Missing required attribute '{name}' on element '{element}': {span}");
            let help = format!("Add the attribute: <{element} {name}=\"...\">.");
            self.report(Diagnostic::new(code::MISSING_ATTRIBUTE, &span, message, help))
        })
    }

    /// An optional number.
    pub(crate) fn optional_number(&mut self, name: &str) -> Result<Option<u64>, Reported> {
        match self.optional(name) {
            Some(text) => self.parse_number(name, text).map(Some),
            None => Ok(None),
        }
    }

    /// A number with a default.
    pub(crate) fn number_or(&mut self, name: &str, default: u64) -> Result<u64, Reported> {
        Ok(self.optional_number(name)?.unwrap_or(default))
    }

    /// A required number.
    pub(crate) fn required_number(&mut self, name: &str) -> Result<u64, Reported> {
        let text = self.required(name)?;
        self.parse_number(name, text)
    }

    /// `true` or `false`, with a default.
    pub(crate) fn boolean_or(&mut self, name: &str, default: bool) -> Result<bool, Reported> {
        match self.optional(name) {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => {
                let text = format!("{name} must be 'true' or 'false'");
                let help = format!("The default is {default}.");
                Err(self.value_error(code::INVALID_BOOLEAN, name, &text, help))
            }
        }
    }

    /// Reports an invalid value of attribute `name`.
    pub(crate) fn value_error(
        &mut self,
        code: &'static str,
        name: &str,
        text: &str,
        help: impl Into<String>,
    ) -> Reported {
        let mut problem = value_error(code, &self.element, text, help);
        problem.span = Some(self.element.attribute_span(name));
        self.report(problem)
    }

    fn report(&mut self, problem: Diagnostic) -> Reported {
        self.problems.push(problem);
        Reported
    }

    /// A number that is the value of attribute `name`, or part of it.
    pub(crate) fn parse_number(&mut self, name: &str, text: &str) -> Result<u64, Reported> {
        parse_number(text).map_err(|reason| {
            let (element, location) = (self.element.name(), self.element.span());
            let message = format!(
                "Error: failed to parse integer '{text}' on element '{element}': {reason}: {location}"
            );
            let help = format!(
                "{name} is a number of at most 64 bits: decimal, or hexadecimal after 0x; '_' may separate \
                 digits."
            );
            let span = self.element.attribute_span(name);
            self.report(Diagnostic::new(code::INVALID_NUMBER, &span, message, help))
        })
    }
}

/// The shape of most problems: the error, the element and the location of its start tag.
pub(crate) fn value_error(
    code: &'static str,
    element: &Element,
    text: &str,
    help: impl Into<String>,
) -> Diagnostic {
    let span = element.span();
    let message = format!("Error: {text} on element '{}': {span}", element.name());
    Diagnostic::new(code, &span, message, help)
}

/// Whether a character ends a line, controls a terminal or printer, or changes the text direction.
pub(crate) fn breaks_lines(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text is a negative number, which some rules report separately.
pub(crate) fn is_negative(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|digits| digits.parse::<u64>().is_ok())
}

/// A number in the notation of descriptions.
pub(crate) fn parse_number(text: &str) -> Result<u64, std::num::ParseIntError> {
    let digits = text.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16),
        None => digits.parse(),
    }
}

fn help_unknown(element: &Element, name: &str, known: &[&str]) -> String {
    if (element.name(), name) == ("protection_domain", "pp") {
        "Since Microkit 2.0, pp is an attribute of the calling end: <end pd=\"...\" id=\"...\" pp=\"true\" />."
            .to_owned()
    } else if known.is_empty() {
        "This element takes no attributes.".to_owned()
    } else {
        did_you_mean(name, known.iter().copied())
            .unwrap_or_else(|| format!("Attributes of this element: {}.", known.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::parse_number;

    #[test]
    fn numbers_are_decimal_or_hexadecimal_with_separators() {
        assert_eq!(parse_number("1_000"), Ok(1000));
        assert_eq!(parse_number("0x20_0000"), Ok(0x20_0000));
        assert_eq!(parse_number("0xffff_ffff_ffff_ffff"), Ok(u64::MAX));
        for refused in ["", "_", "0x", "0X10", "-1", "12a", " 1", "0x1_0000_0000_0000_0000"] {
            assert!(parse_number(refused).is_err(), "{refused}");
        }
    }
}
