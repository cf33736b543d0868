//! System-call numbers: negative words in the system-call register.
//!
//! Source: seL4 MCS API, `syscall.xml` order; the debug calls follow in file order.

use crate::named::named_numbers;

named_numbers! {
    /// System calls.
    pub enum Syscall: i64 {
        /// Send a message and wait for the reply.
        Call = -1 => "seL4_SysCall",
        /// Reply to the caller of a reply object, then receive the next message.
        ReplyRecv = -2 => "seL4_SysReplyRecv",
        /// Send without blocking, then receive with a reply object.
        NbSendRecv = -3 => "seL4_SysNBSendRecv",
        /// Send without blocking, then receive without a reply object.
        NbSendWait = -4 => "seL4_SysNBSendWait",
        /// Send a message; block until it is received.
        Send = -5 => "seL4_SysSend",
        /// Send a message if a receiver is blocked on the endpoint.
        NbSend = -6 => "seL4_SysNBSend",
        /// Receive with a reply object; block until a message arrives.
        Recv = -7 => "seL4_SysRecv",
        /// Receive with a reply object if a message is pending.
        NbRecv = -8 => "seL4_SysNBRecv",
        /// Receive without a reply object; block until a message arrives.
        Wait = -9 => "seL4_SysWait",
        /// Receive without a reply object if a message is pending.
        NbWait = -10 => "seL4_SysNBWait",
        /// Give up the rest of the current budget.
        Yield = -11 => "seL4_SysYield",
        /// Print one character on the debug console. Debug configurations only.
        DebugPutChar = -12 => "seL4_SysDebugPutChar",
        /// Write a record of the caller to the trace, if programs may trace. Limen only.
        Trace = -64 => "limen_SysTrace",
    }
}

/// Options of the kernel, all of which must be on, and the numbers and names of the calls that depend on them.
pub type OptionalCalls = (&'static [&'static str], &'static [(i64, &'static str)]);

/// Calls that depend on options.
///
/// Generators of bindings count these, too, so calls that Limen does not have are among them: making one is a fault.
pub const OPTIONAL: &[OptionalCalls] = &[
    (&["PRINTING"], &[(-12, "DebugPutChar"), (-13, "DebugDumpScheduler"), (-14, "DebugDumpCNode")]),
    (
        &["DEBUG_BUILD"],
        &[(-15, "DebugHalt"), (-16, "DebugCapIdentify"), (-17, "DebugSnapshot"), (-18, "DebugNameThread")],
    ),
    (&["DEBUG_BUILD", "ENABLE_SMP_SUPPORT"], &[(-19, "DebugSendIPI")]),
    (&["DANGEROUS_CODE_INJECTION"], &[(-20, "DebugRun")]),
    (
        &["ENABLE_BENCHMARKS"],
        &[
            (-21, "BenchmarkFlushCaches"),
            (-22, "BenchmarkResetLog"),
            (-23, "BenchmarkFinalizeLog"),
            (-24, "BenchmarkSetLogBuffer"),
            (-25, "BenchmarkNullSyscall"),
        ],
    ),
    (
        &["BENCHMARK_TRACK_UTILISATION"],
        &[(-26, "BenchmarkGetThreadUtilisation"), (-27, "BenchmarkResetThreadUtilisation")],
    ),
    (
        &["DEBUG_BUILD", "BENCHMARK_TRACK_UTILISATION"],
        &[(-28, "BenchmarkDumpAllThreadsUtilisation"), (-29, "BenchmarkResetAllThreadsUtilisation")],
    ),
    (&["KERNEL_X86_DANGEROUS_MSR"], &[(-30, "X86DangerousWRMSR"), (-31, "X86DangerousRDMSR")]),
    (&["VTX"], &[(-32, "VMEnter")]),
    (&["SET_TLS_BASE_SELF"], &[(-33, "SetTLSBase")]),
];

#[cfg(test)]
mod tests {
    extern crate std;

    use std::format;
    use std::vec::Vec;

    use super::*;
    use crate::benchmark::BenchmarkCall;

    #[test]
    fn optional_calls_follow_the_others_without_a_gap() {
        let optional: Vec<_> = OPTIONAL.iter().flat_map(|(_, calls)| *calls).collect();
        let mut next = Syscall::Yield.as_raw() - 1;
        for (number, name) in &optional {
            assert_eq!(*number, next, "{name}");
            next -= 1;
        }
        let calls = Syscall::ALL.iter().map(|(call, name, _)| (call.as_raw(), *name));
        let benchmark = BenchmarkCall::ALL.iter().map(|(call, name, _)| (call.as_raw(), *name));
        let trace = Syscall::Trace.as_raw();
        let optional_calls = trace + 1..Syscall::Yield.as_raw();
        for (number, name) in calls.chain(benchmark).filter(|(number, _)| optional_calls.contains(number)) {
            let listed = optional.iter().find(|(_, optional)| name == format!("seL4_Sys{optional}"));
            assert_eq!(listed.map(|(number, _)| *number), Some(number), "{name}");
        }
    }
}
