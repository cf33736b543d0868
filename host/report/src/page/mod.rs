//! Runs as one HTML page without external resources.
//!
//! `document` assembles the page, `targets` makes its first table, `floors` the next, `section` a section with its tables.
//! `lines` and `histogram` make plots, `changes`, `cold` and `method` the sections of those names. `markup` has the
//! shared helpers.

mod changes;
mod cold;
mod document;
mod floors;
mod histogram;
mod lines;
mod markup;
mod method;
mod published;
mod section;
mod targets;

pub use document::Page;
