/* Measures the processor time of each thread; benchmark configuration only.
 *
 * Between a reset of the log and its end, the kernel charges cycles, its own included, to the current thread or to idle
 * time. The results of a thread are words of the message in the IPC buffer, see benchmark_track_util_ipc_index.
 * Capabilities name threads: slot 6 holds the program's own, the child slots those of its children. */
#ifndef SEL4_BENCHMARK_H
#define SEL4_BENCHMARK_H

#include <sel4/trap.h>

#if defined(CONFIG_ENABLE_BENCHMARKS)

/* Starts to measure: resets the totals and the idle time, but not the time of individual threads. */
LIMEN_INLINE seL4_Error seL4_BenchmarkResetLog(void)
{
    return LIMEN_VALUE(seL4_Error, limen_trap_query(seL4_SysBenchmarkResetLog, 0));
}

/* Stops measuring. The result is the length of the log of kernel entries: 0, because the kernel keeps none. */
LIMEN_INLINE seL4_Word seL4_BenchmarkFinalizeLog(void)
{
    return limen_trap_query(seL4_SysBenchmarkFinalizeLog, 0);
}

/* Always fails, because the kernel keeps no log of kernel entries that could use the memory. */
LIMEN_INLINE seL4_Error seL4_BenchmarkSetLogBuffer(seL4_Word frame_cptr)
{
    (void)frame_cptr;
    return seL4_IllegalOperation;
}

/* Enters and leaves the kernel without any work. */
LIMEN_INLINE void seL4_BenchmarkNullSyscall(void)
{
    limen_trap_plain(seL4_SysBenchmarkNullSyscall, 0);
}

/* Writes the results into the message. Writes nothing if the capability does not name a thread. */
LIMEN_INLINE void seL4_BenchmarkGetThreadUtilisation(seL4_Word tcb_cptr)
{
    limen_trap_plain(seL4_SysBenchmarkGetThreadUtilisation, tcb_cptr);
}

/* Resets the time of a thread. */
LIMEN_INLINE void seL4_BenchmarkResetThreadUtilisation(seL4_Word tcb_cptr)
{
    limen_trap_plain(seL4_SysBenchmarkResetThreadUtilisation, tcb_cptr);
}

#endif /* CONFIG_ENABLE_BENCHMARKS */

#endif /* SEL4_BENCHMARK_H */
