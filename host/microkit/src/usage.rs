//! Help texts of the command line.

use crate::options;

/// The usage line.
pub(crate) const LINE: &str =
    "usage: microkit [-h] [OPTIONS] --board BOARD --config CONFIG [--search-path PATH ...] SYSTEM";

/// The complete help text.
pub(crate) fn help(boards: &[String]) -> String {
    let line = |what: &str, help: &str| format!("  {what:<24}  {help}\n");
    let options = options::ALL.iter().map(|option| {
        line(&format!("{} {}", option.spellings().join(", "), option.placeholder), option.help)
    });
    let commands = options::SUBCOMMANDS;
    let usage: String =
        commands.iter().map(|c| format!("       microkit {} {}\n", c.name, c.usage)).collect();
    let commands: String = commands.iter().map(|command| line(command.name, command.help)).collect();
    let views = options::INSPECT.words.join(", ");
    let boards = if boards.is_empty() { "none found".to_owned() } else { boards.join(", ") };
    format!(
        "{LINE}\n{usage}\n{}{commands}{}\noptions:\n{}\nboards: {boards}\n",
        line("SYSTEM", "the system description to build"),
        line("VIEW", &views),
        options.collect::<String>()
    )
}
