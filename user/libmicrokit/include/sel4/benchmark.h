/* Measuring who uses how much of the processor; benchmark configuration only.
 *
 * From a reset of the log to its end, cycles are counted for the thread that is the current one, kernel included, or as
 * idle. Words of a thread are read from the message in the IPC buffer, see benchmark_track_util_ipc_index. Threads are
 * named by capabilities: a program's own is in slot 6, those of its children in the slots of children. */
#ifndef SEL4_BENCHMARK_H
#define SEL4_BENCHMARK_H

#include <sel4/trap.h>

#if defined(CONFIG_ENABLE_BENCHMARKS)

/* Starts to measure: forgets the totals and what was idle, but not what threads have used. */
LIMEN_INLINE seL4_Error seL4_BenchmarkResetLog(void)
{
    return (seL4_Error)limen_trap_query(seL4_SysBenchmarkResetLog, 0);
}

/* Stops measuring. The result is the number of entries in a log of kernel entries, which is not kept: 0. */
LIMEN_INLINE seL4_Word seL4_BenchmarkFinalizeLog(void)
{
    return limen_trap_query(seL4_SysBenchmarkFinalizeLog, 0);
}

/* There is no log of kernel entries, so that no memory can be given to it. */
LIMEN_INLINE seL4_Error seL4_BenchmarkSetLogBuffer(seL4_Word frame_cptr)
{
    (void)frame_cptr;
    return seL4_IllegalOperation;
}

/* Enters the kernel and leaves it. */
LIMEN_INLINE void seL4_BenchmarkNullSyscall(void)
{
    limen_trap_plain(seL4_SysBenchmarkNullSyscall, 0);
}

/* Writes what was measured into the message. Nothing is written if the capability is not that of a thread. */
LIMEN_INLINE void seL4_BenchmarkGetThreadUtilisation(seL4_Word tcb_cptr)
{
    limen_trap_plain(seL4_SysBenchmarkGetThreadUtilisation, tcb_cptr);
}

/* Forgets what a thread has used. */
LIMEN_INLINE void seL4_BenchmarkResetThreadUtilisation(seL4_Word tcb_cptr)
{
    limen_trap_plain(seL4_SysBenchmarkResetThreadUtilisation, tcb_cptr);
}

#endif /* CONFIG_ENABLE_BENCHMARKS */

#endif /* SEL4_BENCHMARK_H */
