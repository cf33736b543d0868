//! Invalid constructs in a description: outside the language, or not supported by Limen.

use limen_nearest::did_you_mean;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::xml::{Element, StrayText};

/// Reports an `io_address_space`, in the known wording for a kernel without support.
pub(crate) fn io_address_space(element: &Element) -> Diagnostic {
    let span = element.span();
    let message = format!("Error: io address space requires seL4 to be built with IOMMU support: {span}");
    unsupported(element, message)
}

/// Reports a `virtual_machine` inside `parent`, in the known wording for a kernel without support, which names the
/// parent.
pub(crate) fn virtual_machine(parent: &Element, element: &Element) -> Diagnostic {
    let (name, span) = (parent.name(), parent.span());
    let message = format!(
        "Error: seL4 has not been built as a hypervisor, virtual machines are disabled on element '{name}': {span}"
    );
    unsupported(element, message)
}

fn unsupported(element: &Element, message: String) -> Diagnostic {
    let name = element.name();
    let help = format!("Limen does not support '{name}'; remove the element.");
    Diagnostic::new(code::ELEMENT_NOT_SUPPORTED, &element.span(), message, help)
}

/// Reports an element that the language does not allow here, with the elements that it does.
pub(crate) fn unknown_element(element: &Element, expected: &[&str]) -> Diagnostic {
    let (name, span) = (element.name(), element.span());
    let message = format!("Error: invalid XML element '{name}': {span}");
    let help = match expected {
        [] => "This element must be empty.".to_owned(),
        names => did_you_mean(name, names.iter().copied())
            .unwrap_or_else(|| format!("Elements allowed here: {}.", names.join(", "))),
    };
    Diagnostic::new(code::UNKNOWN_ELEMENT, &span, message, help)
}

/// Reports an element that the language does not allow inside `parent`, where the known wording names both.
pub(crate) fn unknown_child(element: &Element, parent: &str, expected: &[&str]) -> Diagnostic {
    let problem = unknown_element(element, expected);
    let wording = format!("invalid XML element as child of <{parent}>");
    Diagnostic { message: problem.message.replacen("invalid XML element", &wording, 1), ..problem }
}

/// Reports everything inside an element that must be empty.
pub(crate) fn children(element: Element, problems: &mut Problems) {
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
    let help = "Remove the text, or make it a comment: <!-- ... -->.";
    Diagnostic::new(code::UNEXPECTED_TEXT, &text.span, message, help)
}
