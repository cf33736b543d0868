//! The inputs of an image.

use limen_sdf::SystemDescription;

use crate::board::Board;
use crate::config::Config;
use crate::program::Program;
use crate::system_file::{Kernel, Loader};

/// A system with its programs, for a machine.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The machine.
    pub board: Board,
    /// debug, release or benchmark.
    pub config: Config,
    /// The system.
    pub system: SystemDescription,
    /// The program of every protection domain, then the monitor.
    pub programs: Vec<Program>,
    /// The loader, if the board boots with Limen's.
    pub loader: Option<Loader>,
    /// The kernel.
    pub kernel: Kernel,
}
