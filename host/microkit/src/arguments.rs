//! The command line, parsed but not yet checked against an SDK.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser};
use limen_abi::trace::GROUPS;
use limen_inspect::View;
use limen_nearest::advice;

use crate::failure::Failure;
use crate::options::{self, CommandOption, Subcommand, Takes};

/// The action that the command line requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Version,
    /// Prints the schema of descriptions.
    Schema,
    /// Prints the completion script for this shell.
    Completion(&'static str),
    Build(Box<Arguments>),
    /// Explains the faults in a console log.
    Symbolise(SymboliseArguments),
    /// Lists the threads or objects of a stopped machine.
    Inspect(InspectArguments),
    /// Shows a trace.
    Trace(TraceArguments),
}

/// A request to list threads or objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InspectArguments {
    pub(crate) view: View,
    /// The dump; not needed for the range of a dump.
    pub(crate) memory: Option<PathBuf>,
    pub(crate) report: PathBuf,
    pub(crate) search_paths: Vec<PathBuf>,
    pub(crate) kernel: Option<PathBuf>,
}

/// A request to show a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TraceArguments {
    /// Copies of the ring.
    pub(crate) rings: Vec<PathBuf>,
    pub(crate) report: PathBuf,
    pub(crate) search_paths: Vec<PathBuf>,
    /// The file for Perfetto.
    pub(crate) output: Option<PathBuf>,
    pub(crate) html: Option<PathBuf>,
    /// Whether to print the tables.
    pub(crate) table: bool,
    /// The only programs to show; all if it is empty.
    pub(crate) only: Vec<String>,
}

/// A request to explain faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SymboliseArguments {
    /// The log; standard input without it.
    pub(crate) log: Option<PathBuf>,
    pub(crate) report: PathBuf,
    pub(crate) search_paths: Vec<PathBuf>,
    pub(crate) kernel: Option<PathBuf>,
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
    /// The groups of the trace; all of them if the list is empty.
    pub(crate) trace: Option<String>,
    /// Whether the system records each event.
    pub(crate) record: bool,
    pub(crate) html: Option<PathBuf>,
    pub(crate) dot: Option<PathBuf>,
    pub(crate) mermaid: Option<PathBuf>,
    pub(crate) capdl_json: Option<PathBuf>,
    pub(crate) viper_output: Option<PathBuf>,
}

/// The words parsed so far.
#[derive(Default)]
struct Words {
    system: Option<OsString>,
    /// Files after the first one.
    more: Vec<PathBuf>,
    search_paths: Vec<PathBuf>,
    only: Vec<OsString>,
    /// Values of options, by the option's name.
    values: BTreeMap<&'static str, OsString>,
}

/// Reads the words after the program's name.
///
/// # Errors
/// A word is unknown, or a value or a required argument is missing.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, Failure> {
    let mut words = words.into_iter().peekable();
    let command =
        words.peek().and_then(|word| options::SUBCOMMANDS.iter().find(|command| word == command.name));
    if command.is_some() {
        words.next();
    }
    let mut parser = Parser::from_args(words);
    let mut words = Words::default();
    while let Some(argument) = parser.next().map_err(|e| Failure::Usage(e.to_string()))? {
        let (option, spelling, separator) = match argument {
            Arg::Value(word) if words.system.is_none() => {
                words.system = Some(word);
                continue;
            }
            Arg::Value(word) if command == Some(&options::TRACE) => {
                words.more.push(word.into());
                continue;
            }
            Arg::Value(word) => return Err(unrecognized(&word.to_string_lossy())),
            Arg::Short(letter) => (options::by_letter(letter), format!("-{letter}"), ""),
            Arg::Long(name) => (options::by_name(name), format!("--{name}"), "="),
        };
        let option = option.filter(|option| options::belongs(option, command));
        let Some(option) = option else {
            return Err(unrecognized_option(&spelling, separator, &mut parser));
        };
        match (option.name, option.takes) {
            ("help", _) => return Ok(Command::Help),
            ("version", _) => return Ok(Command::Version),
            ("schema", _) => return Ok(Command::Schema),
            ("completion", _) => return completion(&value(&mut parser, option)?),
            // An empty list is allowed.
            (_, Takes::Folders) => {
                words.search_paths.extend(parser.values().into_iter().flatten().map(PathBuf::from));
            }
            (_, Takes::Groups) => {
                _ = words.values.insert(option.name, parser.optional_value().unwrap_or_default());
            }
            (_, Takes::Texts) => words.only.push(value(&mut parser, option)?),
            (name, Takes::Nothing) => _ = words.values.insert(name, OsString::new()),
            _ => _ = words.values.insert(option.name, value(&mut parser, option)?),
        }
    }
    match command {
        Some(&options::SYMBOLISE) => words.complete_symbolise(),
        Some(&options::TRACE) => words.complete_trace(),
        Some(inspect) => words.complete_inspect(inspect),
        None => words.complete(),
    }
}

fn completion(shell: &OsString) -> Result<Command, Failure> {
    options::SHELLS.iter().find(|name| shell == *name).map(|name| Command::Completion(name)).ok_or_else(
        || {
            let (shell, choices) = (shell.display(), options::SHELLS.join(", "));
            Failure::Value(format!(
                "argument --completion: invalid choice '{shell}' (choose from: {choices})"
            ))
        },
    )
}

impl Words {
    fn complete(mut self) -> Result<Command, Failure> {
        let (Some(board), Some(config), Some(system)) =
            (self.text("board"), self.text("config"), self.system.clone())
        else {
            return Err(self.missing());
        };
        Ok(Command::Build(Box::new(Arguments {
            system: system.into(),
            board,
            config,
            output: self.path("output").unwrap_or_else(|| "loader.img".into()),
            report: self.path("report").unwrap_or_else(|| "report.txt".into()),
            image_type: self.text("image-type"),
            override_kernel: self.path("override-kernel"),
            trace: self.text("trace"),
            record: self.values.contains_key("record"),
            html: self.path("html"),
            dot: self.path("dot"),
            mermaid: self.path("mermaid"),
            capdl_json: self.path("capdl-json"),
            viper_output: self.path("viper-output"),
            search_paths: self.search_paths,
        })))
    }

    fn complete_symbolise(mut self) -> Result<Command, Failure> {
        Ok(Command::Symbolise(SymboliseArguments {
            report: self.json_report(&options::SYMBOLISE)?,
            log: self.system.take().map(PathBuf::from),
            kernel: self.path("override-kernel"),
            search_paths: self.search_paths,
        }))
    }

    fn complete_inspect(mut self, command: &Subcommand) -> Result<Command, Failure> {
        let word = self.system.take().unwrap_or_default();
        let word = word.to_string_lossy();
        let view = View::named(&word).ok_or_else(|| {
            let advice = advice(&word, command.words, &format!("choose from: {}", command.words.join(", ")));
            Failure::Value(match word.as_ref() {
                "" => format!("inspect needs the name of a list; {advice}"),
                word => format!("inspect has no list '{word}'; {advice}"),
            })
        })?;
        Ok(Command::Inspect(InspectArguments {
            view,
            report: self.json_report(command)?,
            memory: self.path("memory"),
            kernel: self.path("override-kernel"),
            search_paths: self.search_paths,
        }))
    }

    fn complete_trace(mut self) -> Result<Command, Failure> {
        let report = self.json_report(&options::TRACE)?;
        let only = self.only.iter().map(|word| limen_trace::program(&word.to_string_lossy()));
        let only = only.collect::<Result<_, _>>();
        let Some(first) = self.system.take() else {
            return Err(Failure::Value(
                "trace needs a copy of the ring: a file with memory, or a console log".to_owned(),
            ));
        };
        Ok(Command::Trace(TraceArguments {
            rings: [PathBuf::from(first)].into_iter().chain(self.more.drain(..)).collect(),
            report,
            output: self.path("output"),
            html: self.path("html"),
            table: self.values.contains_key("table"),
            only: only.map_err(|reason| Failure::Value(format!("argument --only: {reason}")))?,
            search_paths: self.search_paths,
        }))
    }

    /// The report in its JSON form. The text form stands for the other one.
    fn json_report(&mut self, command: &Subcommand) -> Result<PathBuf, Failure> {
        let report = self.path("report").ok_or_else(|| {
            Failure::Value(format!("{} needs the image's report: --report report.json", command.name))
        })?;
        let is_text = report.extension().is_some_and(|end| end == "txt");
        Ok(if is_text { report.with_extension("json") } else { report })
    }

    fn text(&self, option: &str) -> Option<String> {
        self.values.get(option).map(|value| value.to_string_lossy().into_owned())
    }

    fn path(&mut self, option: &str) -> Option<PathBuf> {
        self.values.remove(option).map(PathBuf::from)
    }

    fn missing(&self) -> Failure {
        let required = [
            ("--board", self.values.contains_key("board")),
            ("--config", self.values.contains_key("config")),
            ("system", self.system.is_some()),
        ];
        let missing: Vec<_> =
            required.iter().filter(|(_, present)| !*present).map(|(name, _)| *name).collect();
        Failure::Usage(format!("the following arguments are required: {}", missing.join(", ")))
    }
}

/// The value of an option. A word that starts with `-` is the next option, so the value is missing.
fn value(parser: &mut Parser, option: &CommandOption) -> Result<OsString, Failure> {
    let word = parser.values().ok().and_then(|mut words| words.next());
    word.ok_or_else(|| Failure::Value(format!("argument --{}: expected one parameter", option.name)))
}

/// An unknown option with its attached value.
fn unrecognized_option(option: &str, separator: &str, parser: &mut Parser) -> Failure {
    let attached = parser.optional_value();
    let attached =
        attached.map(|value| format!("{separator}{}", value.to_string_lossy())).unwrap_or_default();
    let word = format!("{option}{attached}");
    // After a single dash, the first letter is the option and the rest is its value.
    let name = if separator.is_empty() { &word } else { option };
    let spellings: Vec<_> = options::ALL.iter().flat_map(CommandOption::spellings).collect();
    let spellings: Vec<_> = spellings.iter().map(String::as_str).collect();
    let help = advice(name, &spellings, "microkit --help lists the options");
    Failure::Usage(format!("unrecognized argument '{word}'\nhelp: {help}"))
}

fn unrecognized(word: &str) -> Failure {
    let is_group = GROUPS.iter().any(|(_, group, _)| word.split(',').any(|name| name == *group));
    let help = if is_group {
        format!("\nhelp: groups follow an equals sign: --trace={word}")
    } else {
        String::new()
    };
    Failure::Usage(format!("unrecognized argument '{word}'{help}"))
}
