//! Shell completion scripts, generated from the table of options.
//!
//! Boards and configurations are directories of the SDK. The scripts list them at each completion, in `MICROKIT_SDK`
//! or in the SDK that holds the tool.

use std::fmt::Write;

use crate::options::{self, CommandOption, Takes};

/// The completion script for one of [`options::SHELLS`].
pub(crate) fn script(shell: &str) -> String {
    let made = format!(
        "# Completes the command line of microkit {}; made by the tool.\n",
        env!("CARGO_PKG_VERSION")
    );
    match shell {
        "fish" => made + &fish(),
        "zsh" => format!("#compdef microkit\n{made}{}", zsh()),
        _ => made + &bash(),
    }
}

const BASH_HEAD: &str = r#"
_microkit() {
    local current=${COMP_WORDS[COMP_CWORD]} option=
    local sdk=${MICROKIT_SDK:-} board='*' position word
    COMPREPLY=()
    if [ -z "$sdk" ]; then
        sdk=$(readlink -f "$(type -P "$1")")
        sdk=${sdk%/bin/*}
    fi
    # The shell splits a word at '='.
    [ "$current" != = ] || current=
    # The nearest option before the cursor, as long as no value has followed it; several may follow --search-path.
    for ((position = 1; position < COMP_CWORD; position++)); do
        word=${COMP_WORDS[position]}
        case $word in
        =) continue ;;
        -*) option=$word ;;
        *)
            [ "$option" != --board ] || board=$word
            [ "$option" = --search-path ] || option=
            ;;
        esac
    done
    case $current in
    -*) option= ;;
    esac
    case $option in
"#;

const BASH_TAIL: &str = r#"    *)
        case $current in
        -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
        *)
            compopt -o filenames 2>/dev/null
            if [[ ${COMP_WORDS[1]} =~ ^(symbolise|trace)$ ]] && [ "$COMP_CWORD" -gt 1 ]; then
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
            elif [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[1]}" = inspect ]; then
                mapfile -t COMPREPLY < <(compgen -W "$views" -- "$current")
            else
                mapfile -t COMPREPLY < <(compgen -f -X '!*.system' -- "$current"; compgen -d -- "$current")
                [ "$COMP_CWORD" -ne 1 ] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$commands" -- "$current")
            fi
            ;;
        esac
        ;;
    esac
}
complete -F _microkit microkit
"#;

fn names() -> Vec<&'static str> {
    options::SUBCOMMANDS.iter().map(|command| command.name).collect()
}

fn bash() -> String {
    let spellings: Vec<_> = options::ALL.iter().flat_map(CommandOption::spellings).collect();
    let head = BASH_HEAD.replacen(
        "    COMPREPLY=()\n",
        &format!(
            "    local options='{}' commands='{}' views='{}'\n    COMPREPLY=()\n",
            spellings.join(" "),
            names().join(" "),
            options::INSPECT.words.join(" ")
        ),
        1,
    );
    let words = |words: &str| format!("mapfile -t COMPREPLY < <(compgen -W \"{words}\" -- \"$current\")");
    let files = |kind: &str| {
        format!("compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -{kind} -- \"$current\")")
    };
    let mut cases = String::new();
    for option in &options::ALL {
        let action = match option.takes {
            Takes::Nothing | Takes::Groups | Takes::Texts => continue,
            Takes::Board => words("$(ls \"$sdk/board\" 2>/dev/null)"),
            Takes::Config => {
                words("$(ls -d \"$sdk/board/\"$board/*/ 2>/dev/null | xargs -rn1 basename | sort -u)")
            }
            Takes::OneOf(choices) => words(&choices.join(" ")),
            Takes::File => files("f"),
            Takes::Folder | Takes::Folders => files("d"),
        };
        // Writing to a string cannot fail.
        _ = writeln!(cases, "    {}) {action} ;;", option.spellings().join(" | "));
    }
    head + &cases + BASH_TAIL
}

const ZSH_HEAD: &str = r#"
_microkit_sdk() {
    local tool=${commands[microkit]:-}
    print -r -- "${MICROKIT_SDK:-${tool:A:h:h}}"
}
_microkit_boards() {
    local -a boards=("$(_microkit_sdk)"/board/*(N/:t))
    compadd -a boards
}
_microkit_configs() {
    local -aU configs=("$(_microkit_sdk)"/board/${~opt_args[--board]:-*}/*(N/:t))
    compadd -a configs
}
_microkit_first() {
    _alternative 'commands:command:(COMMANDS)' 'files:system:_files -g "*.system"'
}
_microkit_second() {
    if [[ $words[2] == inspect ]]; then compadd VIEWS; else _files; fi
}
_arguments -s \
"#;

fn zsh() -> String {
    let (commands, views) = (names().join(" "), options::INSPECT.words.join(" "));
    let mut text = ZSH_HEAD.replace("COMMANDS", &commands).replace("VIEWS", &views);
    for option in &options::ALL {
        let action = match option.takes {
            Takes::Nothing | Takes::Groups => String::new(),
            Takes::Texts => ":program:".to_owned(),
            Takes::Board => ":board:_microkit_boards".to_owned(),
            Takes::Config => ":configuration:_microkit_configs".to_owned(),
            Takes::OneOf(choices) => format!(":word:({})", choices.join(" ")),
            Takes::File => ":file:_files".to_owned(),
            Takes::Folder => ":folder:_files -/".to_owned(),
            Takes::Folders => ":*-*:folder:_files -/".to_owned(),
        };
        let repeated = if matches!(option.takes, Takes::Folders | Takes::Texts) { "*" } else { "" };
        let help = option.help.replace('\'', "'\\''");
        for spelling in option.spellings() {
            _ = writeln!(text, "    '{repeated}{spelling}[{help}]{action}' \\");
        }
    }
    text + "    '1: :_microkit_first' \\\n    '*:argument:_microkit_second'\n"
}

const FISH_HEAD: &str = r#"
function __microkit_sdk
    if set -q MICROKIT_SDK
        echo $MICROKIT_SDK
    else
        path resolve (command -s microkit)/../..
    end
end
complete -c microkit -n '__fish_seen_subcommand_from symbolise trace' -F
complete -c microkit -n 'not __fish_seen_subcommand_from COMMANDS' -f -k -a '(__fish_complete_suffix .system)'
"#;

fn fish() -> String {
    let mut text = FISH_HEAD.replace("COMMANDS", &names().join(" "));
    for command in &options::SUBCOMMANDS {
        let (name, help) = (command.name, command.help.replace('\'', "\\'"));
        _ = writeln!(text, "complete -c microkit -n '__fish_is_first_arg' -f -a {name} -d '{help}'");
        if !command.words.is_empty() {
            let words = command.words.join(" ");
            _ = writeln!(
                text,
                "complete -c microkit -n '__fish_seen_subcommand_from {name}' -f -a '{words}'"
            );
        }
    }
    for option in &options::ALL {
        let folders =
            |pattern: &str| format!(" -x -a '(path basename (__microkit_sdk)/board/{pattern}/ | sort -u)'");
        let value = match option.takes {
            Takes::Nothing | Takes::Groups => String::new(),
            Takes::Texts => " -x".to_owned(),
            Takes::Board => folders("*"),
            Takes::Config => folders("*/*"),
            Takes::OneOf(choices) => format!(" -x -a '{}'", choices.join(" ")),
            Takes::File => " -r -F".to_owned(),
            Takes::Folder | Takes::Folders => " -x -a '(__fish_complete_directories)'".to_owned(),
        };
        let letter = option.letter.map(|letter| format!(" -s {letter}")).unwrap_or_default();
        let help = option.help.replace('\'', "\\'");
        _ = writeln!(text, "complete -c microkit{letter} -l {}{value} -d '{help}'", option.name);
    }
    text
}
