//! `program_image`: the ELF file of a protection domain.

use crate::attribute::{Attributes, Reported};
use crate::diagnostic::Problems;
use crate::grammar;
use crate::model::ProgramImage;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `program_image` element.
pub(crate) fn read(element: Element, problems: &mut Problems) -> Result<ProgramImage, Reported> {
    let mut attributes = Attributes::read(element, grammar::PROGRAM_IMAGE.attributes(), problems);
    let path = attributes.required("path");
    let path_for_symbols = attributes.optional("path_for_symbols").map(str::to_owned);
    unexpected::children(element, problems);
    Ok(ProgramImage { path: path?.to_owned(), path_for_symbols, span: element.span() })
}
