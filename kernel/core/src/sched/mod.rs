//! Which thread runs, and for how long.

pub mod budget;
pub mod queue;
pub mod ready;
pub mod select;
