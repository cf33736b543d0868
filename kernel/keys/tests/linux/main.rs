//! The crate in a program on Linux: real instructions, real patches, and cores that execute them concurrently.
#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, clippy::panic, reason = "a test may fail")]

#[expect(unsafe_code, reason = "functions in assembly")]
mod arch;
mod calls;
#[expect(unsafe_code, reason = "maps memory, and writes code")]
#[path = "../../examples/linux/engine.rs"]
mod engine;
#[expect(unsafe_code, reason = "symbols of the linker")]
#[path = "../../examples/linux/program.rs"]
mod program;
mod races;
mod truth;
