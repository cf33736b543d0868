//! libFuzzer with [`limen_fuzz::elf`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| limen_fuzz::elf::try_input(bytes));
