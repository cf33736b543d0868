//! The configuration of random tests: runs are repeatable, and print their seed.

use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

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
