//! The system description.

pub mod diagnostic;
pub mod model;
