//! libFuzzer with [`limen_fuzz::trace`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| limen_fuzz::trace::try_input(bytes));
