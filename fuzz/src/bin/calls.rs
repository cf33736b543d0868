//! libFuzzer with random systems and events, after each of which the kernel must be as the specification says.

#![no_main]

#[allow(
    dead_code,
    unused_imports,
    clippy::expect_used,
    clippy::panic,
    reason = "shared with the kernel's tests"
)]
#[path = "../../../kernel/core/tests/kernel/hostile/mod.rs"]
mod hostile;
#[allow(
    dead_code,
    unused_imports,
    clippy::expect_used,
    clippy::panic,
    reason = "shared with the kernel's tests"
)]
#[path = "../../../kernel/core/tests/kernel/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hostile::try_bytes(bytes));
