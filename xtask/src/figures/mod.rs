//! Tables in documents whose cells are recorded figures.
//!
//! ```text
//! <!-- figures: {fpu=on} / {fpu=off}
//! ppc_rt server=passive words=0
//! notify
//! -->
//! | path | AArch64 | RISC-V |
//! |---|---|---|
//! | protected call and back | 364 / 252 | 522 / 340 |
//! | notify, no switch | 113 / 113 | 133 / 133 |
//! ```
//!
//! The comment in front of a table has a line for each row of the table. Cells are filled in where the column's heading
//! names a board. CONTRIBUTING.md describes the syntax.
//!
//! [`comment`] parses a comment and [`template`] the text of a cell; [`record`] finds recorded figures, [`table`] splits a
//! Markdown table into cells, [`document`] puts them together, and [`tree`] does so for all documents.

mod comment;
mod document;
mod record;
mod table;
mod template;
mod tree;

pub use tree::{examine, rewrite};
