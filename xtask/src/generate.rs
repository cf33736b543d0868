//! `./x headers`: writes the C headers that are generated from `abi/`.

use crate::command::{Command, no_arguments};
use crate::failure::Outcome;
use crate::headers;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "headers", summary: "write the C headers generated from abi/", help: HELP, run };

const HELP: &str = "
usage: ./x headers

Writes the C headers with the numbers of abi/abi into user/libmicrokit/include/limen. They are checked
in; ./x check says when they are out of date.
";

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    no_arguments(arguments)?;
    let stale = headers::stale(workspace.root());
    headers::write(workspace.root())?;
    for file in stale {
        println!("wrote {}", file.display());
    }
    Ok(())
}
