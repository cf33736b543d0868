//! Replays a recorded run: the kernel's core executes the events that a kernel on the target has recorded, and every
//! outcome must be the same.
//!
//! The core takes its slow paths, while the target took its fast ones. The machine under the core answers with what the
//! target's machine answered.
//!
//! | module | subject |
//! |---|---|
//! | [`reader`] | parts of a recording, from words |
//! | [`abstraction`] | the state of the specification that a kernel stands for |
//! | [`context`] | the registers of each instruction set |
//! | [`machine`] | a machine that answers from the recording |
//! | [`mod@reference`] | the specification beside a kernel |
//! | [`replay`] | the comparison |
#![forbid(unsafe_code)]

pub mod abstraction;
pub mod context;
pub mod machine;
pub mod reader;
pub mod reference;
pub mod replay;
