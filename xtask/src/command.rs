//! The definition of a command of `./x`.

use std::str::FromStr;

use lexopt::ValueExt;
use limen_nearest::{advice, options_in};

use crate::failure::{Failure, Outcome};
use crate::workspace::Workspace;

/// A command: how it is listed, documented and run.
pub struct Command {
    /// The word that selects it.
    pub name: &'static str,
    /// One line for the list of commands.
    pub summary: &'static str,
    /// The output of `./x NAME --help`: usage, description, options.
    pub help: &'static str,
    /// Runs it with the arguments that follow its name.
    pub run: fn(&Workspace, lexopt::Parser) -> Outcome,
}

/// Rejects every argument, for commands that take none.
///
/// # Errors
/// When there is an argument.
pub fn no_arguments(mut arguments: lexopt::Parser) -> Outcome {
    match arguments.next()? {
        None => Ok(()),
        Some(unexpected) => Err(unexpected.unexpected().into()),
    }
}

/// Checks that a value is one of a list.
///
/// # Errors
/// When it is not; the failure lists the choices.
pub fn one_of(what: &str, value: String, choices: &[&str]) -> Outcome<String> {
    if choices.contains(&value.as_str()) { Ok(value) } else { Err(unknown(what, &value, choices, "")) }
}

/// The value of the option that was read last, as a number.
///
/// # Errors
/// When there is none, or it is not of this type; the failure says what the option takes.
pub fn number<T: FromStr>(arguments: &mut lexopt::Parser, option: &str, takes: &str) -> Outcome<T> {
    let text = arguments.value()?.string()?;
    text.parse().map_err(|_| Failure::new(format!("{option} takes {takes}, not '{text}'")))
}

/// Stores the only argument without an option.
///
/// # Errors
/// When there was one before; the failure names both.
pub fn only(place: &mut Option<String>, value: std::ffi::OsString) -> Outcome {
    let value = value.string()?;
    if let Some(first) = place {
        return Err(Failure::new(format!(
            "name one of '{first}' and '{value}': this command takes one name"
        )));
    }
    *place = Some(value);
    Ok(())
}

/// The failure for an unknown name. It suggests the closest name, lists all if they are few, or gives the advice
/// `otherwise`.
pub fn unknown(what: &str, name: &str, known: &[&str], otherwise: &str) -> Failure {
    Failure::new(format!("there is no {what} '{name}'; {}", advice(name, known, otherwise)))
}

impl Command {
    /// Adds the closest option to a failure to parse the arguments.
    pub fn explain(&self, failure: Failure) -> Failure {
        let Some(option) = failure.unknown_option() else { return failure };
        let otherwise = format!("./x {} --help lists the options", self.name);
        let advice = match options_in(self.help).as_slice() {
            [] => format!("./x {} takes none", self.name),
            options => advice(option, options, &otherwise),
        };
        Failure::new(format!("there is no option '{option}'; {advice}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(help: &'static str, words: &[&str]) -> String {
        let command = Command { name: "sing", summary: "", help, run: |_, _| Ok(()) };
        command.explain(no_arguments(lexopt::Parser::from_args(words)).unwrap_err()).to_string()
    }

    #[test]
    fn the_closest_option_is_suggested() {
        let help = "usage: ./x sing [--board BOARD] [--loud]\n  --board BOARD  where";
        assert_eq!(explained(help, &["--bord=a"]), "there is no option '--bord'; did you mean `--board`?");
        assert_eq!(
            explained(help, &["--tenor"]),
            "there is no option '--tenor'; choose from: --board, --loud"
        );
        assert_eq!(explained("", &["--tenor"]), "there is no option '--tenor'; ./x sing takes none");
        assert_eq!(explained(help, &["tenor"]), "unexpected argument \"tenor\"");
    }

    #[test]
    fn the_closest_value_is_suggested() {
        let choose = |value: &str| one_of("voice", value.to_owned(), &["alto", "bass"]);
        assert_eq!(choose("alto").unwrap(), "alto");
        assert_eq!(choose("atlo").unwrap_err().to_string(), "there is no voice 'atlo'; did you mean `alto`?");
        let failure = choose("tenor").unwrap_err().to_string();
        assert_eq!(failure, "there is no voice 'tenor'; choose from: alto, bass");
    }

    #[test]
    fn a_number_names_its_option() {
        let number = |word: &str| {
            let mut arguments = lexopt::Parser::from_args(["--voices", word]);
            let _ = arguments.next();
            number::<u8>(&mut arguments, "--voices", "a whole number of singers")
                .map_err(|failure| failure.to_string())
        };
        assert_eq!(number("4"), Ok(4));
        for word in ["-1", "many", "256", "1.5", ""] {
            assert_eq!(number(word), Err(format!("--voices takes a whole number of singers, not '{word}'")));
        }
    }

    #[test]
    fn a_second_name_is_an_error() {
        let mut place = None;
        only(&mut place, "alto".into()).unwrap();
        let failure = only(&mut place, "bass".into()).unwrap_err().to_string();
        assert_eq!(failure, "name one of 'alto' and 'bass': this command takes one name");
        assert_eq!(place.as_deref(), Some("alto"));
    }
}
