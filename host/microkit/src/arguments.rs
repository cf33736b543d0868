//! The command line, read but not yet judged against an SDK.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser};

use crate::tool::Failure;

/// What the user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Build(Box<Arguments>),
}

/// A request to build a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) system: PathBuf,
    pub(crate) board: String,
    pub(crate) config: String,
    pub(crate) output: PathBuf,
    pub(crate) report: PathBuf,
    pub(crate) search_paths: Vec<PathBuf>,
    pub(crate) image_type: Option<String>,
    pub(crate) override_kernel: Option<PathBuf>,
    pub(crate) capdl_json: Option<PathBuf>,
    pub(crate) viper_output: Option<PathBuf>,
}

/// Options as far as they have been read.
#[derive(Default)]
struct Options {
    system: Option<OsString>,
    board: Option<OsString>,
    config: Option<OsString>,
    output: Option<OsString>,
    report: Option<OsString>,
    search_paths: Vec<PathBuf>,
    image_type: Option<OsString>,
    override_kernel: Option<OsString>,
    capdl_json: Option<OsString>,
    viper_output: Option<OsString>,
}

/// Reads the words after the program's name.
///
/// # Errors
/// A word has no meaning, a value is missing, or something required is.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, Failure> {
    let mut parser = Parser::from_args(words);
    let mut options = Options::default();
    while let Some(argument) = parser.next().map_err(|e| Failure::Usage(e.to_string()))? {
        let (place, name) = match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("search-path") => {
                // None at all is allowed, and then there is nothing to read.
                options.search_paths.extend(parser.values().into_iter().flatten().map(PathBuf::from));
                continue;
            }
            Arg::Value(word) if options.system.is_none() => {
                options.system = Some(word);
                continue;
            }
            Arg::Value(word) => return Err(unrecognized(&word.to_string_lossy())),
            Arg::Short('o') | Arg::Long("output") => (&mut options.output, "--output"),
            Arg::Short('r') | Arg::Long("report") => (&mut options.report, "--report"),
            Arg::Long("board") => (&mut options.board, "--board"),
            Arg::Long("config") => (&mut options.config, "--config"),
            Arg::Long("image-type") => (&mut options.image_type, "--image-type"),
            Arg::Long("override-kernel") => (&mut options.override_kernel, "--override-kernel"),
            Arg::Long("capdl-json") => (&mut options.capdl_json, "--capdl-json"),
            Arg::Long("viper-output") => (&mut options.viper_output, "--viper-output"),
            Arg::Short(letter) => {
                return Err(unrecognized_option(&format!("-{letter}"), "", &mut parser));
            }
            Arg::Long(name) => {
                let option = format!("--{name}");
                return Err(unrecognized_option(&option, "=", &mut parser));
            }
        };
        *place = Some(value(&mut parser, name)?);
    }
    options.complete()
}

impl Options {
    fn complete(self) -> Result<Command, Failure> {
        let (Some(system), Some(board), Some(config)) = (&self.system, &self.board, &self.config) else {
            return Err(self.missing());
        };
        Ok(Command::Build(Box::new(Arguments {
            system: system.into(),
            board: board.to_string_lossy().into_owned(),
            config: config.to_string_lossy().into_owned(),
            output: self.output.unwrap_or_else(|| "loader.img".into()).into(),
            report: self.report.unwrap_or_else(|| "report.txt".into()).into(),
            search_paths: self.search_paths,
            image_type: self.image_type.map(|word| word.to_string_lossy().into_owned()),
            override_kernel: self.override_kernel.map(PathBuf::from),
            capdl_json: self.capdl_json.map(PathBuf::from),
            viper_output: self.viper_output.map(PathBuf::from),
        })))
    }

    fn missing(&self) -> Failure {
        let required = [
            ("--board", self.board.is_none()),
            ("--config", self.config.is_none()),
            ("system", self.system.is_none()),
        ];
        let missing: Vec<_> =
            required.iter().filter(|(_, missing)| *missing).map(|(name, _)| *name).collect();
        Failure::Usage(format!("the following arguments are required: {}", missing.join(", ")))
    }
}

/// The word after an option. A word that starts with `-` is the next option, so the value is missing.
fn value(parser: &mut Parser, name: &str) -> Result<OsString, Failure> {
    let word = parser.values().ok().and_then(|mut words| words.next());
    word.ok_or_else(|| Failure::Value(format!("argument {name}: expected one parameter")))
}

/// An option that does not exist, with what is attached to it.
fn unrecognized_option(option: &str, separator: &str, parser: &mut Parser) -> Failure {
    match parser.optional_value() {
        Some(value) => unrecognized(&format!("{option}{separator}{}", value.to_string_lossy())),
        None => unrecognized(option),
    }
}

fn unrecognized(word: &str) -> Failure {
    Failure::Usage(format!("unrecognized argument '{word}'"))
}
