//! Measuring how the processor is shared, in the benchmark configuration.
//!
//! Source: seL4 API, `syscall.xml` order (MCS), and the order of the words of `seL4_BenchmarkGetThreadUtilisation`.

use crate::named::named_numbers;

named_numbers! {
    /// What a program may ask about the use of the processor.
    pub enum BenchmarkCall: i64 {
        /// Start to measure. Benchmark configuration only.
        ResetLog = -22 => "seL4_SysBenchmarkResetLog",
        /// Stop measuring. Benchmark configuration only.
        FinalizeLog = -23 => "seL4_SysBenchmarkFinalizeLog",
        /// Do nothing. Benchmark configuration only.
        NullSyscall = -25 => "seL4_SysBenchmarkNullSyscall",
        /// Read what was measured of a thread. Benchmark configuration only.
        GetThreadUtilisation = -26 => "seL4_SysBenchmarkGetThreadUtilisation",
        /// Forget what was measured of a thread. Benchmark configuration only.
        ResetThreadUtilisation = -27 => "seL4_SysBenchmarkResetThreadUtilisation",
    }
}

named_numbers! {
    /// A word of what was measured, as its place in the message of the IPC buffer.
    pub enum UtilisationWord: u64 {
        /// Cycles in which the thread was the current one.
        TcbUtilisation = 0 => "BENCHMARK_TCB_UTILISATION",
        /// How often it became the current one.
        TcbNumberSchedules = 1 => "BENCHMARK_TCB_NUMBER_SCHEDULES",
        /// Of these, cycles in the kernel.
        TcbKernelUtilisation = 2 => "BENCHMARK_TCB_KERNEL_UTILISATION",
        /// Its entries into the kernel.
        TcbNumberKernelEntries = 3 => "BENCHMARK_TCB_NUMBER_KERNEL_ENTRIES",
        /// Cycles in which nobody was the current thread.
        IdleLocalCpuUtilisation = 4 => "BENCHMARK_IDLE_LOCALCPU_UTILISATION",
        /// The same, of the processor that the thread is on.
        IdleTcbCpuUtilisation = 5 => "BENCHMARK_IDLE_TCBCPU_UTILISATION",
        /// How often the processor began to idle.
        IdleNumberSchedules = 6 => "BENCHMARK_IDLE_NUMBER_SCHEDULES",
        /// Of these, cycles in the kernel.
        IdleKernelUtilisation = 7 => "BENCHMARK_IDLE_KERNEL_UTILISATION",
        /// Entries into the kernel while idle.
        IdleNumberKernelEntries = 8 => "BENCHMARK_IDLE_NUMBER_KERNEL_ENTRIES",
        /// Cycles from the start to the end of measuring.
        TotalUtilisation = 9 => "BENCHMARK_TOTAL_UTILISATION",
        /// How often another thread became the current one, or none.
        TotalNumberSchedules = 10 => "BENCHMARK_TOTAL_NUMBER_SCHEDULES",
        /// Of these, cycles in the kernel.
        TotalKernelUtilisation = 11 => "BENCHMARK_TOTAL_KERNEL_UTILISATION",
        /// Entries into the kernel.
        TotalNumberKernelEntries = 12 => "BENCHMARK_TOTAL_NUMBER_KERNEL_ENTRIES",
    }
}
