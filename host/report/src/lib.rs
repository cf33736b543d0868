//! Benchmark results: from the lines that a measuring program prints to tables, a page with plots, and JSON.
//!
//! [`row`] reads a line, [`results`] holds a run and writes JSON, [`reading`] reads it, [`reference`] holds what others measured,
//! [`golden`] is what a version is known by, [`comparison`] joins the two, [`changes`] what two runs differ in.
//! [`table`] shows the outcome on a console, [`page`] as HTML, with the [`sections`] that it has.
#![forbid(unsafe_code)]

pub mod changes;
pub mod comparison;
pub mod golden;
pub mod page;
pub mod reading;
pub mod reference;
pub mod results;
pub mod row;
pub mod sections;
pub mod table;

pub use changes::Changes;
pub use comparison::Comparison;
pub use golden::{Difference, Golden};
pub use page::Page;
pub use reference::Reference;
pub use results::Results;
pub use row::Row;
pub use sections::Sections;
