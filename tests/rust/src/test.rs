//! Test functions. The program that owns the serial port reports each of them in one line.

use core::fmt::{self, Write};

use limen::{Channel, MessageInfo, message};

/// The channel to the program that prints.
const UART: Channel = Channel::new(30);
const PASSED: u64 = 1;
const FAILED: u64 = 2;
const END: u64 = 3;

/// The line of the first check that failed.
pub type Outcome = Result<(), u32>;

/// Ends a test that fails here.
#[macro_export]
macro_rules! check {
    ($condition:expr) => {
        if !$condition {
            return Err(line!());
        }
    };
}

/// Runs a test and reports it under the name of its function.
#[macro_export]
macro_rules! run {
    ($($test:ident)+) => {
        $($crate::test::report(stringify!($test), $test());)+
    };
}

/// Message words that text is written to.
struct Words {
    bytes: usize,
    word: u64,
}

impl Write for Words {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.word |= u64::from(byte) << (self.bytes % 8 * 8);
            message::set_word(self.bytes / 8, self.word);
            self.bytes += 1;
            if self.bytes.is_multiple_of(8) {
                self.word = 0;
            }
        }
        Ok(())
    }
}

fn send(label: u64, text: fmt::Arguments<'_>) {
    let mut words = Words { bytes: 0, word: 0 };
    if words.write_fmt(text).is_ok() {
        UART.call(MessageInfo::new(label, words.bytes.div_ceil(8)));
    }
}

/// Reports a test.
pub fn report(name: &str, outcome: Outcome) {
    match outcome {
        Ok(()) => send(PASSED, format_args!("TEST {name} PASS\n")),
        Err(line) => send(FAILED, format_args!("TEST {name} FAIL line {line}\n")),
    }
}

/// Ends the run.
pub fn end() {
    send(END, format_args!(""));
}
