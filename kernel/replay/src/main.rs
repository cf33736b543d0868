//! `limen-replay NAME ...`: replays the recording on standard input, in which the threads have these names. Behind the
//! number of its words comes the boot image, and then the recording; each word has eight bytes, the lowest first.

use std::env;
use std::io::{BufReader, Read, stdin};
use std::process::ExitCode;

use limen_replay::replay::replay;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 20;
/// Most words of a boot image.
const MOST_IMAGE_WORDS: u64 = 1 << 24;

fn main() -> ExitCode {
    let names: Vec<String> = env::args().skip(1).collect();
    let mut input = BufReader::with_capacity(BUFFER, stdin().lock());
    let mut words = std::iter::from_fn(move || {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes).ok()?;
        Some(u64::from_le_bytes(bytes))
    });
    let length = words.next().unwrap_or(0).min(MOST_IMAGE_WORDS);
    let image: Vec<u64> = words.by_ref().take(length as usize).collect();
    match replay(&image, &names, words) {
        Ok(replayed) => {
            println!("{replayed}");
            ExitCode::SUCCESS
        }
        Err(ending) => {
            println!("{ending}");
            ExitCode::FAILURE
        }
    }
}
