//! The system description: `.system` text to [`SystemDescription`], or located diagnostics.
//!
//! [`parse`] checks every rule that needs only the text and the [`Target`]; what needs program files is left to the
//! image builder. Message texts and the order of checks are those that Microkit users know.
//!
//! The way of a description: `xml` gives elements with positions; `system` and one file per element read them into a
//! `draft`, in which every element is legal in itself; `check` applies the rules that look across elements and turns
//! the draft into the [`model`]. [`render()`] shows a diagnostic.

#![forbid(unsafe_code)]

mod attribute;
mod channel;
mod check;
pub mod code;
mod cspace;
pub mod diagnostic;
mod domain_schedule;
mod domains;
mod draft;
mod grammar;
mod header;
mod ioport;
mod irq;
pub mod limits;
mod map;
mod meant;
mod memory_region;
pub mod model;
mod prefill;
mod program_image;
mod protection_domain;
mod render;
mod schema;
mod service;
mod setvar;
mod static_key;
mod symbols;
mod system;
mod target;
mod unexpected;
mod wipe;
mod xml;

pub use diagnostic::{Diagnostic, Problems, Span};
pub use model::SystemDescription;
pub use prefill::{FileError, ReadFile, no_files};
pub use render::{one_line, render, render_all};
pub use schema::schema;
pub use target::{Architecture, Target};

/// A description that obeys every rule, and what is worth knowing about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// What the description means.
    pub system: SystemDescription,
    /// Legal, but probably not what was meant.
    pub warnings: Vec<Diagnostic>,
}

/// Reads the description `text`; `file_name` is the name to show in locations, and `read_file` reads files whose contents
/// go into memory regions.
///
/// # Errors
///
/// The first [`Problems::MOST`] broken rules that are found, at least one. The first is the one that Microkit would report.
pub fn parse(
    file_name: &str,
    text: &str,
    target: &Target,
    read_file: &ReadFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    let document = xml::Document::parse(file_name, text).map_err(|problem| vec![problem])?;
    let draft = system::read(document.root(), target, read_file)?;
    check::check(draft, target)
}
