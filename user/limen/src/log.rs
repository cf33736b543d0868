//! Logging on the debug console: lines with the program's name and a level, as in `parser warn: line 3 is empty`.
//!
//! [`error!`](crate::error), [`warn!`](crate::warn), [`info!`](crate::info), [`debug!`](crate::debug) and
//! [`trace!`](crate::trace!) print in the debug configuration only, and no line above the [level](set_level).

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::patched;

/// The level of a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Level {
    /// The program cannot do what it is for.
    Error,
    /// Something is wrong, and the program goes on.
    Warn,
    /// Progress, for users of the system.
    Info,
    /// Details, for developers of the program.
    Debug,
    /// Each step.
    Trace,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        })
    }
}

static LEVEL: AtomicU8 = AtomicU8::new(Level::Info as u8);

/// Prints lines up to this level from now on. At the start it is [`Level::Info`].
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Whether lines of this level are printed.
#[must_use]
#[inline]
pub fn is_enabled(level: Level) -> bool {
    crate::IS_PRINTING && level as u8 <= LEVEL.load(Ordering::Relaxed)
}

/// Prints a line.
#[doc(hidden)]
pub fn line(level: Level, text: fmt::Arguments<'_>) {
    crate::print!("{} {level}: {text}\n", patched::name());
}

/// Prints a line of a level.
#[macro_export]
macro_rules! log {
    ($level:expr, $($argument:tt)+) => {
        if $crate::log::is_enabled($level) {
            $crate::log::line($level, ::core::format_args!($($argument)+));
        }
    };
}

/// Prints a line of level [`Error`](crate::log::Level::Error).
#[macro_export]
macro_rules! error {
    ($($argument:tt)+) => { $crate::log!($crate::log::Level::Error, $($argument)+) };
}

/// Prints a line of level [`Warn`](crate::log::Level::Warn).
#[macro_export]
macro_rules! warn {
    ($($argument:tt)+) => { $crate::log!($crate::log::Level::Warn, $($argument)+) };
}

/// Prints a line of level [`Info`](crate::log::Level::Info).
#[macro_export]
macro_rules! info {
    ($($argument:tt)+) => { $crate::log!($crate::log::Level::Info, $($argument)+) };
}

/// Prints a line of level [`Debug`](crate::log::Level::Debug).
#[macro_export]
macro_rules! debug {
    ($($argument:tt)+) => { $crate::log!($crate::log::Level::Debug, $($argument)+) };
}

/// Prints a line of level [`Trace`](crate::log::Level::Trace).
#[macro_export]
macro_rules! trace {
    ($($argument:tt)+) => { $crate::log!($crate::log::Level::Trace, $($argument)+) };
}
