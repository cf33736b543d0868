//! Runs as one HTML page that needs nothing from outside.
//!
//! [`document`] is the whole, [`targets`] its first table, [`section`] a subject with its tables, [`lines`] and
//! [`histogram`] are pictures, [`changes`] and [`method`] what changed and how it was measured; [`markup`] has what all write with.

mod changes;
mod document;
mod histogram;
mod lines;
mod markup;
mod method;
mod section;
mod targets;

pub use document::Page;
