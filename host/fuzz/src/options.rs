//! The libFuzzer options that the fuzzers use.

use std::path::PathBuf;
use std::time::Duration;

/// Options of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Duration.
    pub(crate) time: Duration,
    /// Seed of the random sequence.
    pub(crate) seed: u64,
    /// Prefix of the file names of findings.
    pub(crate) artifacts: String,
    /// Directories with initial inputs.
    pub(crate) folders: Vec<PathBuf>,
}

impl Options {
    /// Parses the command line.
    ///
    /// # Errors
    /// The unknown argument.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options =
            Self { time: Duration::from_secs(60), seed: 1, artifacts: String::new(), folders: Vec::new() };
        for word in words {
            let Some(option) = word.strip_prefix('-') else {
                options.folders.push(PathBuf::from(word));
                continue;
            };
            let number = |value: &str| value.parse::<u64>().map_err(|_| word.clone());
            match option.split_once('=') {
                Some(("max_total_time", value)) => options.time = Duration::from_secs(number(value)?),
                Some(("seed", value)) => options.seed = number(value)?,
                Some(("artifact_prefix", value)) => value.clone_into(&mut options.artifacts),
                Some(("print_final_stats" | "verbosity", _)) => {}
                _ => return Err(word),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, String> {
        Options::parse(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn options_of_the_command_are_parsed() {
        let words = [
            "-max_total_time=5",
            "-print_final_stats=1",
            "-verbosity=0",
            "-artifact_prefix=x/",
            "-seed=9",
            "in",
        ];
        let options = parse(&words).unwrap();
        assert_eq!((options.time.as_secs(), options.seed, options.artifacts.as_str()), (5, 9, "x/"));
        assert_eq!(options.folders, [PathBuf::from("in")]);
    }

    #[test]
    fn unknown_options_are_refused() {
        for word in ["-jobs=1", "-seed=x", "-seed"] {
            assert_eq!(parse(&[word]), Err(word.to_owned()));
        }
    }
}
