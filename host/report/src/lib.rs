//! Benchmark results: from the lines that a measuring program prints to tables, HTML with plots, and JSON.
//!
//! [`row`] reads a line, [`results`] holds a run and writes JSON, [`reference`] holds what others measured,
//! [`golden`] is what a version is known by, [`comparison`] joins the two, [`table`] and [`html`] show the outcome.
#![forbid(unsafe_code)]

pub mod comparison;
pub mod golden;
pub mod html;
pub mod reference;
pub mod results;
pub mod row;
pub mod table;

pub use comparison::Comparison;
pub use golden::Golden;
pub use reference::Reference;
pub use results::Results;
pub use row::Row;
