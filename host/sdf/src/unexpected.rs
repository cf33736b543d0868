//! What must not stand in a description: what the language does not have there, and what Limen cannot build yet.

use limen_nearest::did_you_mean;

use crate::code;
use crate::diagnostic::Diagnostic;
use crate::xml::{Element, StrayText};

/// Reports an element of the Microkit language that this version does not build.
pub(crate) fn unsupported_element(element: &Element) -> Diagnostic {
    let (name, span) = (element.name(), element.span());
    let message = format!("Error: '{name}' is not supported yet: {span}");
    let help = format!("Remove the '{name}' element; this version cannot build systems that need it.");
    Diagnostic::new(code::ELEMENT_NOT_SUPPORTED, &span, message, help)
}

/// Reports an element that is not part of the language at this place, with the elements that are.
pub(crate) fn unknown_element(element: &Element, expected: &[&str]) -> Diagnostic {
    let (name, span) = (element.name(), element.span());
    let message = format!("Error: invalid XML element '{name}': {span}");
    let help = match expected {
        [] => "Nothing may stand inside this element.".to_owned(),
        names => did_you_mean(name, names.iter().copied())
            .unwrap_or_else(|| format!("Elements that may stand here: {}.", names.join(", "))),
    };
    Diagnostic::new(code::UNKNOWN_ELEMENT, &span, message, help)
}

/// Reports an element that is not part of the language inside `parent`, where the known wording names both.
pub(crate) fn unknown_child(element: &Element, parent: &str, expected: &[&str]) -> Diagnostic {
    let problem = unknown_element(element, expected);
    let wording = format!("invalid XML element as child of <{parent}>");
    Diagnostic { message: problem.message.replacen("invalid XML element", &wording, 1), ..problem }
}

/// Reports everything inside an element that must be empty.
pub(crate) fn children(element: Element, problems: &mut Vec<Diagnostic>) {
    problems.extend(element.children().map(|child| unknown_element(&child, &[])));
}

/// Reports text between elements.
pub(crate) fn text(text: &StrayText) -> Diagnostic {
    let (place, element) = match &text.after {
        Some(element) => ("after", element),
        None => ("in", &text.inside),
    };
    let message =
        format!("Error: unexpected text found {place} element '{}' @ {}", element.name(), element.span());
    let help = "Remove the text or make it a comment: <!-- ... -->.";
    Diagnostic::new(code::UNEXPECTED_TEXT, &text.span, message, help)
}
