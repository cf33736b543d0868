//! libFuzzer with [`limen_fuzz::description`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| limen_fuzz::description::try_input(bytes));
