//! A configuration: debug, release or benchmark.

use limen_image::Options;

/// A configuration of the SDK, identified by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Name of its directory in the SDK: `debug`, `release` or `benchmark`, prefixed with `smp-` for several cores.
    pub name: String,
    /// Groups of the trace that are on when the system starts, as options of the image.
    pub trace: u64,
}

impl Config {
    /// The configuration with this name. Unknown names behave like `release`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), trace: 0 }
    }

    /// Option bits of the boot image, see [`limen_image::Options`].
    #[must_use]
    pub fn options(&self) -> u64 {
        let base = match self.base() {
            "debug" => Options::PRINTING,
            "benchmark" => Options::MEASURE_UTILISATION,
            _ => 0,
        };
        base | self.trace & Options::TRACE
    }

    /// The kernel and the monitor print.
    #[must_use]
    pub fn is_printing(&self) -> bool {
        self.options() & Options::PRINTING != 0
    }

    /// Programs hold their own thread and may read the cycle counter.
    #[must_use]
    pub fn is_benchmark(&self) -> bool {
        self.base() == "benchmark"
    }

    fn base(&self) -> &str {
        self.name.strip_prefix("smp-").unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_debug_prints_and_only_benchmark_measures() {
        let facts = |name| (Config::new(name).options(), Config::new(name).is_benchmark());
        assert_eq!(facts("debug"), (Options::PRINTING, false));
        assert_eq!(facts("release"), (0, false));
        assert_eq!(facts("benchmark"), (Options::MEASURE_UTILISATION, true));
        assert_eq!(facts("smp-benchmark"), (Options::MEASURE_UTILISATION, true));
    }
}
