//! The system description: `.system` text to [`SystemDescription`], or located diagnostics.
//!
//! [`parse`] checks every rule that depends only on the text and the [`Target`]; the image builder checks the rules
//! that need program files. Microkit users know the message texts and the order of checks.
//!
//! ```
//! use limen_sdf::{Target, no_files, parse, render};
//!
//! let text = r#"<system>
//!     <protection_domain name="hello" prio="7">
//!         <program_image path="hello.elf" />
//!     </protection_domain>
//! </system>"#;
//!
//! let problems = parse("hello.system", text, &Target::aarch64(), &no_files).unwrap_err();
//! assert_eq!(problems[0].code, "unknown-attribute");
//! println!("{}", render(&problems[0], Some(text)));
//!
//! let parsed = parse("hello.system", &text.replace("prio", "priority"), &Target::aarch64(), &no_files);
//! assert_eq!(parsed.unwrap().system.protection_domains[0].priority, 7);
//! ```
//!
//! The pipeline: `xml` parses elements with positions. `system` and one file per element read them into a `draft`, in
//! which every element is valid on its own. `check` applies the rules across elements and turns the draft into the
//! [`model`]. [`render()`] prints a diagnostic.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]

mod attribute;
mod boot_info;
mod channel;
mod check;
pub mod code;
mod cpu;
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
mod ring;
mod schema;
mod seal;
mod service;
mod setvar;
mod source;
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

/// A valid description and its warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The system.
    pub system: SystemDescription,
    /// Valid constructs that are probably mistakes.
    pub warnings: Vec<Diagnostic>,
}

/// Parses the description `text`; `file_name` is the name in locations, and `read_file` reads the files that prefill
/// memory regions.
///
/// # Errors
///
/// The first [`Problems::MOST`] broken rules, at least one. The first is the one that Microkit would report.
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
