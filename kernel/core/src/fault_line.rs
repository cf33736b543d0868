//! The line about a fault on the debug console, for the tool that finds the place in the source.
//!
//! ```text
//! LIMEN|FAULT program=3 pc=0x20012c sp=0xffffffbfd0 lr=0x200144 to=parent vm address=0x8 fetch=0 status=0x92000006 end
//! ```
//!
//! It contains only what the kernel knows without access to the program's memory. Callee-saved registers are not saved
//! yet when a fault is delivered, so the frame pointer is not among them.

use core::fmt::{self, Display, Formatter, Write};

use limen_abi::slot::{Badge, FAULT_OBSERVER};

use crate::arena::ThreadId;
use crate::cap::{Cap, LookupFailure};
use crate::fault::{Access, Fault, Phase};
use crate::kernel::{Kernel, PerThread};
use crate::machine::{Context, Machine};

/// The number of faults of one program that are printed. A parent that continues its child after each fault, or
/// restarts it, would otherwise fill the console, and each line takes time with interrupts off.
const MOST_LINES: u8 = 8;

impl<M: Machine> Kernel<M> {
    /// Prints a fault that goes to `handler`, if the kernel prints.
    #[inline]
    pub(crate) fn print_fault(&mut self, thread: ThreadId, fault: &Fault, handler: Cap) {
        if self.machine.is_printing() {
            self.print_fault_line(thread, fault, handler);
        }
    }

    #[cold]
    #[inline(never)]
    fn print_fault_line(&mut self, thread: ThreadId, fault: &Fault, handler: Cap) {
        let printed = &mut self.printed_faults[thread];
        if *printed == MOST_LINES {
            return;
        }
        *printed += 1;
        let last = if *printed == MOST_LINES { " last" } else { "" };
        let program = PerThread::<u8>::index_of(thread);
        let context = &self.threads[thread].context;
        let registers = Registers(context);
        let to = name_of(handler);
        let mut console = Console(&mut self.machine);
        // Writing to the console cannot fail.
        _ = writeln!(console, "LIMEN|FAULT program={program}{registers} to={to} {fault}{last} end");
        self.wake_observer(thread);
    }

    /// Signals the observer, which prints the stack before a handler of lower priority can continue the thread. The
    /// observer is enqueued at once, because the delivery of the fault wakes another thread.
    fn wake_observer(&mut self, thread: ThreadId) {
        match self.lookup(thread, FAULT_OBSERVER).unwrap_or_default() {
            Cap::Notification { id, badge, .. } => {
                self.signal(id, badge).woken.into_iter().for_each(|observer| self.enqueue(observer));
            }
            observer => observer.as_elsewhere().into_iter().for_each(|object| self.signal_elsewhere(object)),
        }
    }
}

/// The debug console as a destination of formatted text.
struct Console<'a, M>(&'a mut M);

impl<M: Machine> Write for Console<'_, M> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.0.put_char(byte));
        Ok(())
    }
}

/// The registers that locate the fault.
struct Registers<'a, C>(&'a C);

impl<C: Context> Display for Registers<'_, C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(context) = self;
        write!(f, " pc={:#x} sp={:#x}", context.register(C::PC), context.register(C::SP))?;
        C::LINK.map_or(Ok(()), |link| write!(f, " lr={:#x}", context.register(link)))
    }
}

/// Returns who receives the fault. The tool gives the faults of a child their own kind of badge.
fn name_of(handler: Cap) -> &'static str {
    match handler {
        Cap::Endpoint { badge, .. } | Cap::Elsewhere { badge, .. } if badge & Badge::CHILD_FAULT != 0 => {
            "parent"
        }
        Cap::Endpoint { .. } | Cap::Elsewhere { .. } => "monitor",
        _ => "nobody",
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cap { cptr, phase, failure } => {
                let receive = u8::from(phase == Phase::Receive);
                let outside = u8::from(matches!(failure, LookupFailure::GuardMismatch { .. }));
                write!(f, "cap cptr={cptr:#x} receive={receive} outside={outside}")
            }
            Self::UnknownSyscall { number } => write!(f, "syscall number={}", number as i64),
            Self::UserException { number, code } => write!(f, "exception number={number:#x} code={code:#x}"),
            Self::Vm { address, access, status } => {
                let fetch = u8::from(access == Access::Instruction);
                write!(f, "vm address={address:#x} fetch={fetch} status={status:#x}")
            }
            Self::Timeout { data, consumed_us } => {
                write!(f, "timeout data={data:#x} consumed_us={consumed_us}")
            }
        }
    }
}
