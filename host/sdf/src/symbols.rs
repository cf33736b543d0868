//! The symbols of one program that the description writes to, each at most once.

use std::collections::HashSet;

use crate::attribute::{Attributes, value_error};
use crate::code;
use crate::diagnostic::Problems;
use crate::model::Symbol;
use crate::xml::Element;

/// Symbols in use.
#[derive(Default)]
pub(crate) struct Symbols<'a>(HashSet<&'a str>);

impl<'a> Symbols<'a> {
    /// Claims the symbol that an optional attribute names.
    pub(crate) fn claim_optional(
        &mut self,
        attributes: &mut Attributes<'a, '_>,
        attribute: &str,
    ) -> Option<Symbol> {
        let name = attributes.optional(attribute)?;
        let element = attributes.element();
        self.claim(&element, name, attributes.problems());
        Some(Symbol { name: name.to_owned(), span: element.span() })
    }

    /// Claims `symbol` for `element`.
    pub(crate) fn claim(&mut self, element: &Element, symbol: &'a str, problems: &mut Problems) {
        if !self.0.insert(symbol) {
            problems.push(value_error(
                code::SETVAR_DUPLICATE,
                element,
                &format!("setvar on symbol '{symbol}' already exists"),
                "A symbol can receive one value; add another variable to the program.",
            ));
        }
    }
}
