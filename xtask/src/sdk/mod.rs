//! `./x sdk`, `./x dist` and `./x headers`: the SDK, its archive, and the files generated from `abi/`.

mod archive;
mod command;
pub mod dist;
pub mod documents;
mod gen_config;
pub mod generate;
mod headers;
mod interface;
pub mod links;
mod manual;
pub mod overlay;
pub mod reproducible;
pub mod unpatched;
pub mod version;

pub use command::{COMMAND, build, build_with, make, ports, remove};
