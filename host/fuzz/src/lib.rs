//! A small fuzzer: mutates inputs at random and passes them to a function, until time is up or the function panics.
//!
//! The programs accept the libFuzzer options that `./x fuzz` passes, so that it runs all fuzzers in the same way.
//! Inputs depend only on the seed: runs with the same seed try the same inputs in the same order.

#![forbid(unsafe_code)]

mod mutate;
mod options;
mod random;

use std::fs;
use std::panic;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mutate::mutate;
use options::Options;
pub use random::Random;

/// Most mutations of an input.
const MOST_CHANGES: u64 = 8;
/// Inputs between checks of the time.
const BATCH: u64 = 64;

/// The current input, for the report of a panic.
static CURRENT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// A function to fuzz, and its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Target<'t> {
    /// Initial inputs; at least one.
    pub seeds: &'t [Vec<u8>],
    /// Fragments to insert into inputs.
    pub words: &'t [&'t [u8]],
    /// Repairs a mutated input so that it passes early checks, for example its checksum. Half of the inputs skip it.
    pub repair: fn(&mut [u8]),
    /// The function under test; it must not panic.
    pub try_input: fn(&[u8]),
}

/// Fuzzes with the options of the command line.
#[must_use]
pub fn run(target: &Target<'_>) -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(word) => {
            eprintln!("error: unknown argument '{word}'");
            return ExitCode::FAILURE;
        }
    };
    let mut seeds = target.seeds.to_vec();
    seeds.extend(options.folders.iter().flat_map(|folder| files(folder)));
    report_panics(options.artifacts);
    println!("{} initial inputs, seed {}", seeds.len(), options.seed);
    let (start, mut random, mut tried) = (Instant::now(), Random::new(options.seed), 0_u64);
    for seed in &seeds {
        try_one(target, seed.clone());
    }
    while start.elapsed() < options.time {
        for _ in 0..BATCH {
            try_one(target, changed(target, &seeds, &mut random));
        }
        tried += BATCH;
    }
    println!("{tried} inputs tried in {} s", start.elapsed().as_secs());
    ExitCode::SUCCESS
}

fn changed(target: &Target<'_>, seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = random.choose(seeds).cloned().unwrap_or_default();
    for _ in 0..1 + random.below(MOST_CHANGES) {
        let other = random.choose(seeds).map_or(&[][..], Vec::as_slice);
        mutate(&mut input, other, target.words, random);
    }
    if random.below(2) == 0 {
        (target.repair)(&mut input);
    }
    input
}

fn try_one(target: &Target<'_>, input: Vec<u8>) {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&input);
    (target.try_input)(&input);
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// Writes the input of a panic to a file before the program exits.
fn report_panics(artifacts: String) {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        let input = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        let path = format!("{artifacts}crash-{:016x}", random::digest(&input));
        match fs::write(&path, &*input) {
            Ok(()) => eprintln!("the input is in {path}"),
            Err(error) => eprintln!("the input cannot be written to {path}: {error}"),
        }
        std::process::exit(1);
    }));
}
