//! `setvar`: a symbol that receives the physical address of a memory region.

use crate::attribute::{Attributes, Reported};
use crate::diagnostic::Problems;
use crate::draft::SetvarDraft;
use crate::grammar;
use crate::model::Symbol;
use crate::symbols::Symbols;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `setvar` element.
pub(crate) fn read<'a>(
    element: Element<'a>,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<SetvarDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::SETVAR.attributes(), problems);
    let symbol = attributes.required("symbol");
    let region_paddr = attributes.required("region_paddr");
    if let Ok(symbol) = symbol {
        symbols.claim(&element, symbol, problems);
    }
    unexpected::children(element, problems);
    Ok(SetvarDraft {
        symbol: Symbol { name: symbol?.to_owned(), span: element.span() },
        region_paddr: region_paddr?,
    })
}
