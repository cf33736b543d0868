//! A configuration: debug, release or benchmark, for one processor or for several.

use limen_image::Options;

/// Start of the names of configurations for several processors.
const SMP: &str = "smp-";

/// A configuration of the SDK, identified by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Name of its directory in the SDK: `debug`, `release` or `benchmark`, prefixed with `smp-` for several
    /// processors.
    pub name: String,
    /// Groups of the trace that are on when the system starts, as options of the image.
    pub trace: u64,
    /// Whether the kernel records every event for a replay, which takes the memory of the trace.
    pub recording: bool,
}

impl Config {
    /// The configuration with this name. Unknown names behave like `release`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), trace: 0, recording: false }
    }

    /// Option bits of the boot image, see [`limen_image::Options`].
    #[must_use]
    pub fn options(&self) -> u64 {
        let base = match self.base() {
            "debug" => Options::PRINTING,
            "benchmark" => Options::MEASURE_UTILISATION,
            _ => 0,
        };
        let recording = if self.recording { Options::RECORDING } else { 0 };
        base | self.trace & Options::TRACE | recording
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

    /// Systems use all processors of the board.
    #[must_use]
    pub fn is_smp(&self) -> bool {
        self.name.starts_with(SMP)
    }

    fn base(&self) -> &str {
        self.name.strip_prefix(SMP).unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_prefix_are_for_several_processors() {
        let is_smp = |name| Config::new(name).is_smp();
        assert_eq!(
            ["debug", "smp-debug", "benchmark", "smp-benchmark"].map(is_smp),
            [false, true, false, true]
        );
    }

    #[test]
    fn only_debug_prints_and_only_benchmark_measures() {
        let facts = |name| (Config::new(name).options(), Config::new(name).is_benchmark());
        assert_eq!(facts("debug"), (Options::PRINTING, false));
        assert_eq!(facts("release"), (0, false));
        assert_eq!(facts("benchmark"), (Options::MEASURE_UTILISATION, true));
        assert_eq!(facts("smp-benchmark"), (Options::MEASURE_UTILISATION, true));
    }
}
