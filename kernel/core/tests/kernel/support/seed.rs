//! The configuration of random tests: runs are repeatable, and print their seed.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};

/// The default seed.
const SEED: u64 = 0x4c49_4d45_4e00_0001;

/// Configures a run of this many cases, unless `PROPTEST_CASES` and `PROPTEST_RNG_SEED` are set.
pub(crate) fn random_config(cases: u32) -> Config {
    let mut config =
        Config { failure_persistence: None, rng_algorithm: RngAlgorithm::XorShift, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    println!("{:?}, {} systems", config.rng_seed, config.cases);
    config
}

/// Runs `check`, which panics if it finds an error, on this many random values. Panics with the smallest value that fails.
pub(crate) fn check_random<S: Strategy>(cases: u32, values: S, check: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(random_config(cases));
    let result = runner.run(&values, |value| {
        check(value);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
