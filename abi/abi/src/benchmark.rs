//! Processor-utilisation measurement, in the benchmark configuration.
//!
//! Source: seL4 API, `syscall.xml` order (MCS), and the order of the words of `seL4_BenchmarkGetThreadUtilisation`.

use crate::named::named_numbers;

named_numbers! {
    /// System calls that measure processor utilisation.
    pub enum BenchmarkCall: i64 {
        /// Start measuring. Benchmark configuration only.
        ResetLog = -22 => "seL4_SysBenchmarkResetLog",
        /// Stop measuring. Benchmark configuration only.
        FinalizeLog = -23 => "seL4_SysBenchmarkFinalizeLog",
        /// Do nothing. Benchmark configuration only.
        NullSyscall = -25 => "seL4_SysBenchmarkNullSyscall",
        /// Read the figures of a thread. Benchmark configuration only.
        GetThreadUtilisation = -26 => "seL4_SysBenchmarkGetThreadUtilisation",
        /// Reset the figures of a thread. Benchmark configuration only.
        ResetThreadUtilisation = -27 => "seL4_SysBenchmarkResetThreadUtilisation",
    }
}

named_numbers! {
    /// A word of the figures, as its position in the message of the IPC buffer.
    pub enum UtilisationWord: u64 {
        /// Cycles in which the thread was the current one.
        TcbUtilisation = 0 => "BENCHMARK_TCB_UTILISATION",
        /// Times the thread became the current one.
        TcbNumberSchedules = 1 => "BENCHMARK_TCB_NUMBER_SCHEDULES",
        /// Cycles of these spent in the kernel.
        TcbKernelUtilisation = 2 => "BENCHMARK_TCB_KERNEL_UTILISATION",
        /// Kernel entries of the thread.
        TcbNumberKernelEntries = 3 => "BENCHMARK_TCB_NUMBER_KERNEL_ENTRIES",
        /// Cycles in which no thread was current.
        IdleLocalCpuUtilisation = 4 => "BENCHMARK_IDLE_LOCALCPU_UTILISATION",
        /// The same, of the thread's processor.
        IdleTcbCpuUtilisation = 5 => "BENCHMARK_IDLE_TCBCPU_UTILISATION",
        /// Times the processor became idle.
        IdleNumberSchedules = 6 => "BENCHMARK_IDLE_NUMBER_SCHEDULES",
        /// Idle cycles spent in the kernel.
        IdleKernelUtilisation = 7 => "BENCHMARK_IDLE_KERNEL_UTILISATION",
        /// Kernel entries while idle.
        IdleNumberKernelEntries = 8 => "BENCHMARK_IDLE_NUMBER_KERNEL_ENTRIES",
        /// Cycles from the start to the end of the measurement.
        TotalUtilisation = 9 => "BENCHMARK_TOTAL_UTILISATION",
        /// Switches to another thread or to idle.
        TotalNumberSchedules = 10 => "BENCHMARK_TOTAL_NUMBER_SCHEDULES",
        /// Cycles of the measurement spent in the kernel.
        TotalKernelUtilisation = 11 => "BENCHMARK_TOTAL_KERNEL_UTILISATION",
        /// Kernel entries during the measurement.
        TotalNumberKernelEntries = 12 => "BENCHMARK_TOTAL_NUMBER_KERNEL_ENTRIES",
    }
}
