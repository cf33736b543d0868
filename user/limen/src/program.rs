//! The trait of a program, and the macro that makes a type one.

use limen_abi::MessageInfo;

use crate::channel::Channel;
use crate::child::Child;
use crate::fault::FaultAnswer;
use crate::report;

/// The entry points of a protection domain. They never run nested or at the same time.
pub trait Program {
    /// A channel or interrupt was signalled; once for each, lowest id first.
    fn notified(&mut self, channel: Channel);

    /// A protected call came in. What this returns is the answer.
    ///
    /// Arguments and results are [message words](crate::message).
    fn protected(&mut self, channel: Channel, message: MessageInfo) -> MessageInfo {
        let _ = (channel, message);
        report::missing("protected")
    }

    /// A child has faulted. [`Fault::read`](crate::Fault::read) decodes the message.
    fn fault(&mut self, child: Child, message: MessageInfo) -> FaultAnswer {
        let _ = (child, message);
        report::missing("fault")
    }
}

/// Names the function that runs once at the start, and after a restart, and returns the [`Program`].
///
/// ```ignore
/// limen::protection_domain!(init);
///
/// fn init() -> MyProgram { ... }
/// ```
#[macro_export]
macro_rules! protection_domain {
    ($init:path) => {
        /// The function that the start code calls.
        // SAFETY: no other symbol has this name: a program with two of them does not link.
        #[unsafe(no_mangle)]
        extern "C" fn limen_main() -> ! {
            $crate::run($init)
        }
    };
}
