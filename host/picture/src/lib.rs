//! Pictures of a built system: an HTML page ([`page`]), and text for Graphviz ([`dot`]) and Mermaid ([`mermaid`]).
//!
//! [`graph`] collects programs, channels and shared memory from the report. [`drawing`] draws them: [`node`] sizes the
//! boxes, [`layout`] places them, [`nets`] bundles the lines, [`router`] leads them around the boxes.
#![forbid(unsafe_code)]

pub mod dot;
pub mod drawing;
pub mod graph;
pub mod layout;
pub mod mermaid;
pub mod nets;
pub mod node;
pub mod page;
pub mod router;
pub mod text;

pub use drawing::Drawing;
pub use graph::Graph;
