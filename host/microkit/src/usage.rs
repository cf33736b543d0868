//! Help texts of the command line.

use crate::options;

/// The usage line.
pub(crate) const LINE: &str =
    "usage: microkit [-h] [OPTIONS] --board BOARD --config CONFIG [--search-path PATH ...] SYSTEM";

/// The usage line for console logs.
const SYMBOLISE_LINE: &str = "       microkit symbolise --report REPORT [--search-path PATH ...] [LOG]";

/// The complete help text.
pub(crate) fn help(boards: &[String]) -> String {
    let line = |what: &str, help: &str| format!("  {what:<24}  {help}\n");
    let options = options::ALL.iter().map(|option| {
        line(&format!("{} {}", option.spellings().join(", "), option.placeholder), option.help)
    });
    let boards = if boards.is_empty() { "none found".to_owned() } else { boards.join(", ") };
    format!(
        "{LINE}\n{SYMBOLISE_LINE}\n\n{}{}\noptions:\n{}\nboards: {boards}\n",
        line("SYSTEM", "the system description to build"),
        line("symbolise", "explain the faults in a console log (default: standard input) with file and line"),
        options.collect::<String>()
    )
}
