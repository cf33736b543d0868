//! Which thread runs, and for how long.

pub mod budget;
pub mod domain;
pub mod lines;
pub mod queue;
pub mod ready;
pub mod release;
pub mod select;
pub mod sporadic_server;
