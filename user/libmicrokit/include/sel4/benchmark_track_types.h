/* Types for a log of kernel entries, which Limen does not keep: CONFIG_BENCHMARK_TRACK_KERNEL_ENTRIES is never defined.
 * The file exists for programs that include it. */
#ifndef SEL4_BENCHMARK_TRACK_TYPES_H
#define SEL4_BENCHMARK_TRACK_TYPES_H

#include <limen/abi.h>

#endif /* SEL4_BENCHMARK_TRACK_TYPES_H */
