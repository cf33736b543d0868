//! Benchmark results: converts the output of measuring programs into tables, a page with plots, and JSON.
//!
//! [`row`] parses a line, [`results`] holds a run and writes JSON, [`reading`] reads the JSON. [`mod@reference`] holds
//! the figures of other systems, [`floor`] what the architecture demands, [`golden`] the recorded figures of a version,
//! [`cold`] those of the memory that the kernel touches, [`comparison`] joins rows and
//! reference, [`changes`] compares two runs. [`table`] renders for a console, [`page`] as HTML with its [`sections`].
#![forbid(unsafe_code)]

pub mod changes;
pub mod cold;
pub mod cold_record;
pub mod comparison;
pub mod floor;
pub mod golden;
pub mod page;
pub mod reading;
pub mod reference;
pub mod results;
pub mod row;
pub mod sections;
pub mod table;

pub use changes::Changes;
pub use cold::Cold;
pub use cold_record::ColdRecord;
pub use comparison::Comparison;
pub use floor::Floors;
pub use golden::{Difference, Golden};
pub use page::Page;
pub use reference::Reference;
pub use results::Results;
pub use row::Row;
pub use sections::Sections;
