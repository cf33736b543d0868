//! Static keys in a program on Linux: a loop that another thread traces for a while.
//!
//! `engine` writes code and `program` sets up the keys; both can be copied into another program.
//!
//! ```sh
//! cargo run -p limen-keys --example linux
//! ```
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "an example that cannot write its code has nothing to show"
)]

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "maps memory, and writes code")]
mod engine;
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "symbols of the linker")]
mod program;
#[cfg(target_os = "linux")]
mod traced;

#[cfg(target_os = "linux")]
fn main() {
    traced::run();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("This engine is for Linux.");
}
