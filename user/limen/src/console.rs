//! Printing on the debug console, one character for each system call.

use core::fmt::{self, Write};

use limen_abi::Syscall;

use crate::trap;

/// Whether the program is built for a configuration in which the kernel prints. Elsewhere everything that
/// prints compiles to nothing. The build sets `MICROKIT_CONFIG`.
pub const IS_PRINTING: bool = match option_env!("MICROKIT_CONFIG") {
    Some(config) => matches!(config.as_bytes(), b"debug" | b"smp-debug"),
    None => false,
};

/// The debug console, as a place for [`write!`].
#[derive(Clone, Copy, Debug)]
pub struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if IS_PRINTING {
            text.bytes().for_each(|byte| trap::plain(Syscall::DebugPutChar, u64::from(byte)));
        }
        Ok(())
    }
}

/// Prints on the debug console. Prints nothing unless the configuration is debug.
#[macro_export]
macro_rules! print {
    ($($argument:tt)*) => {
        if $crate::IS_PRINTING {
            let _ = ::core::fmt::Write::write_fmt(&mut $crate::Console, ::core::format_args!($($argument)*));
        }
    };
}

/// Prints a line on the debug console. Prints nothing unless the configuration is debug.
#[macro_export]
macro_rules! println {
    () => {
        $crate::print!("\n")
    };
    ($format:literal $($argument:tt)*) => {
        $crate::print!("{}\n", ::core::format_args!($format $($argument)*))
    };
}
