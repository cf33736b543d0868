//! The options of the command line: one table, which the parser, the help text and the completion of shells follow.

/// What the word after an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// The option stands alone.
    Nothing,
    /// A folder of the SDK's `board`.
    Board,
    /// A folder of that board.
    Config,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Any number of folders.
    Folders,
}

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommandOption {
    pub(crate) letter: Option<char>,
    /// Without the dashes.
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    /// What stands for the value in the help text.
    pub(crate) placeholder: &'static str,
    pub(crate) help: &'static str,
}

/// Names that `--image-type` takes; which of them can be written depends on the board.
pub(crate) const IMAGE_TYPES: &[&str] = &["binary", "elf", "uimage"];

/// Names that `--completion` takes.
pub(crate) const SHELLS: &[&str] = &["bash", "fish", "zsh"];

/// Every option, in the order of the help text.
pub(crate) const ALL: [CommandOption; 13] = [
    flag('h', "help", "show this text and exit"),
    flag('V', "version", "show the version and exit"),
    file("output", "write the image here (default: loader.img)").with('o'),
    file("report", "write the report here (default: report.txt), and as JSON beside it (report.json)")
        .with('r'),
    option("board", Takes::Board, "BOARD", "the machine to build for"),
    option("config", Takes::Config, "CONFIG", "debug, release or benchmark"),
    option(
        "search-path",
        Takes::Folders,
        "[PATH ...]",
        "where to look for program images; the working directory comes last",
    ),
    option(
        "image-type",
        Takes::OneOf(IMAGE_TYPES),
        "TYPE",
        "binary, elf or uimage (default: what the board is started with)",
    ),
    file("override-kernel", "use this kernel instead of the SDK's"),
    file("capdl-json", "write kernel objects and capabilities as JSON of Limen's own form"),
    option(
        "viper-output",
        Takes::Folder,
        "FOLDER",
        "write what each protection domain may do as FOLDER/NAME.vpr, for Viper",
    ),
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
