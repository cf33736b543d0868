//! Measures a dormant branch on the developer's processor: on a static key, on an atomic flag, and on a key of the crate
//! `static-keys`. Run by `./x bench --native`.
//!
//! A pass has eight consecutive branches that are not taken. A figure is the fastest of many batches of passes, relative to
//! passes without branches in the same run. Batches of all kinds alternate, so that changes of the processor's clock affect
//! all of them. First each branch is switched on and off once, to check that it works.

#[path = "../../../../kernel/keys/examples/linux/engine.rs"]
#[allow(unsafe_code)]
mod engine;
mod passes;
#[path = "../../../../kernel/keys/examples/linux/program.rs"]
mod program;
mod sizes;
mod switches;

use std::time::{Duration, Instant};

use passes::{Pass, TIGHT, WORKING};

/// Passes between two clock reads.
const PER_BATCH: u32 = 20_000;
/// Batches, of which the fastest counts.
const BATCHES: u32 = 1_000;

fn main() {
    switches::show_that_branches_follow();
    print_table("eight branches and nothing between them", "nothing", &TIGHT);
    print_table(
        "eight branches, each followed by two instructions that wait for the ones before",
        "work",
        &WORKING,
    );
    sizes::print();
}

/// Prints the times of passes, and their rows in picoseconds.
fn print_table(title: &str, between: &str, passes: &[Pass]) {
    let times = fastest(passes);
    let base = times[0].as_secs_f64();
    println!("\n{title}: as a part of none");
    for (pass, time) in passes.iter().zip(&times) {
        println!("{:<30} {:.2}", pass.name, time.as_secs_f64() / base);
    }
    for (pass, time) in passes.iter().zip(&times) {
        let picoseconds = time.as_nanos() * 1000 / u128::from(PER_BATCH);
        println!("ROW name=key_pass between={between} branches={} samples={picoseconds}", pass.word);
    }
}

fn fastest(passes: &[Pass]) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; passes.len()];
    for _ in 0..BATCHES {
        for (pass, best) in passes.iter().zip(&mut best) {
            let start = Instant::now();
            (pass.run)(PER_BATCH);
            *best = start.elapsed().min(*best);
        }
    }
    best
}
