//! The options of the command line. The parser, the help text and the shell completion use this table.

use limen_inspect::View;

/// The argument that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// None.
    Nothing,
    /// A directory of the SDK's `board`.
    Board,
    /// A directory of that board.
    Config,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A file.
    File,
    /// A directory.
    Folder,
    /// Any number of directories.
    Folders,
    /// Nothing, or a list of groups of the trace after `=`.
    Groups,
    /// Text; may be repeated.
    Texts,
}

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommandOption {
    pub(crate) letter: Option<char>,
    /// Without the dashes.
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    /// Placeholder of the value in the help text.
    pub(crate) placeholder: &'static str,
    pub(crate) help: &'static str,
}

/// Values of `--image-type`; the board limits the choice.
pub(crate) const IMAGE_TYPES: &[&str] = &["binary", "elf", "uimage"];

/// Values of `--completion`.
pub(crate) const SHELLS: &[&str] = &["bash", "fish", "zsh"];

/// A command: the first word of a command line that builds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subcommand {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    /// The rest of its usage line.
    pub(crate) usage: &'static str,
    /// Its options.
    pub(crate) options: &'static [&'static str],
    /// The choices for its other argument; a file if there are none.
    pub(crate) words: &'static [&'static str],
}

/// Explains the faults in a console log.
pub(crate) const SYMBOLISE: Subcommand = Subcommand {
    name: "symbolise",
    help: "explain the faults in a console log (default: standard input) with file and line",
    usage: "--report REPORT [--search-path PATH ...] [LOG]",
    options: &["help", "report", "search-path", "override-kernel"],
    words: &[],
};

/// Lists threads and objects.
pub(crate) const INSPECT: Subcommand = Subcommand {
    name: "inspect",
    help: "list threads, objects or keys of a stopped machine from a dump of its memory",
    usage: "VIEW --report REPORT --memory FILE [--search-path PATH ...]",
    options: &["help", "report", "search-path", "override-kernel", "memory"],
    words: &View::NAMES,
};

/// Shows a trace.
pub(crate) const TRACE: Subcommand = Subcommand {
    name: "trace",
    help: "show copies of the trace's ring: as a file for Perfetto (-o), a page (--html) or tables",
    usage: "--report REPORT [--search-path PATH ...] [-o FILE] [--html FILE] [--table] [--only pd=NAME] RING ...",
    options: &["help", "report", "search-path", "output", "html", "table", "only"],
    words: &[],
};

/// Every command.
pub(crate) const SUBCOMMANDS: [Subcommand; 3] = [SYMBOLISE, INSPECT, TRACE];

/// Options that only a command has.
const OF_COMMANDS_ONLY: [&str; 3] = ["memory", "table", "only"];

/// Whether an option belongs to a command; without a command, to builds.
pub(crate) fn belongs(option: &CommandOption, command: Option<&Subcommand>) -> bool {
    match command {
        Some(command) => command.options.contains(&option.name),
        None => !OF_COMMANDS_ONLY.contains(&option.name),
    }
}

/// Every option, in the order of the help text.
pub(crate) const ALL: [CommandOption; 21] = [
    flag('h', "help", "show this text and exit"),
    flag('V', "version", "show the version and exit"),
    file("output", "write the image here (default: loader.img)").with('o'),
    file("report", "write the report here (default: report.txt), and as JSON beside it (report.json)")
        .with('r'),
    file("html", "write a page with drawings and tables of the system here"),
    file("dot", "write the graph of programs here, for Graphviz"),
    file("mermaid", "write the graph of programs here, for Mermaid"),
    option("board", Takes::Board, "BOARD", "the machine to build for"),
    option(
        "config",
        Takes::Config,
        "CONFIG",
        "debug, release or benchmark; with smp-: for several processors",
    ),
    option(
        "search-path",
        Takes::Folders,
        "[PATH ...]",
        "directories to search for program images, before the working directory",
    ),
    option("image-type", Takes::OneOf(IMAGE_TYPES), "TYPE", "binary, elf or uimage (default: the board's)"),
    option(
        "trace",
        Takes::Groups,
        "[=GROUP,...]",
        "record these groups of events (default: all) from the start, without a change of the description",
    ),
    option(
        "record",
        Takes::Nothing,
        "",
        "make a system that records each event for a replay, and waits for the reader of the recording",
    ),
    file("override-kernel", "use this kernel instead of the SDK's"),
    file("memory", "the dump that inspect reads: an ELF core file, as QEMU's dump-guest-memory writes"),
    file("capdl-json", "write kernel objects and capabilities as JSON in Limen's own format"),
    option(
        "viper-output",
        Takes::Folder,
        "FOLDER",
        "write the rights of each protection domain to FOLDER/NAME.vpr, for Viper",
    ),
    option("table", Takes::Nothing, "", "of a trace: print processor time, waits and latencies"),
    option("only", Takes::Texts, "pd=NAME", "of a trace: leave out all other programs; may be repeated"),
    option("schema", Takes::Nothing, "", "print the XML schema of system descriptions and exit"),
    option(
        "completion",
        Takes::OneOf(SHELLS),
        "SHELL",
        "print the completion for bash, fish or zsh and exit",
    ),
];

const fn option(
    name: &'static str,
    takes: Takes,
    placeholder: &'static str,
    help: &'static str,
) -> CommandOption {
    CommandOption { letter: None, name, takes, placeholder, help }
}

const fn flag(letter: char, name: &'static str, help: &'static str) -> CommandOption {
    option(name, Takes::Nothing, "", help).with(letter)
}

const fn file(name: &'static str, help: &'static str) -> CommandOption {
    option(name, Takes::File, "FILE", help)
}

impl CommandOption {
    const fn with(self, letter: char) -> Self {
        Self { letter: Some(letter), ..self }
    }

    /// The spellings of the option, the short one first.
    pub(crate) fn spellings(&self) -> Vec<String> {
        let short = self.letter.map(|letter| format!("-{letter}"));
        short.into_iter().chain([format!("--{}", self.name)]).collect()
    }
}

/// The option with this letter.
pub(crate) fn by_letter(letter: char) -> Option<&'static CommandOption> {
    ALL.iter().find(|option| option.letter == Some(letter))
}

/// The option with this name.
pub(crate) fn by_name(name: &str) -> Option<&'static CommandOption> {
    ALL.iter().find(|option| option.name == name)
}
