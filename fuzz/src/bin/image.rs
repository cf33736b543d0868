//! libFuzzer with [`limen_fuzz::image`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| limen_fuzz::image::try_input(bytes));
