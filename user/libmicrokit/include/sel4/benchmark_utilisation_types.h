/* The words that seL4_BenchmarkGetThreadUtilisation writes: benchmark_track_util_ipc_index. */
#ifndef SEL4_BENCHMARK_UTILISATION_TYPES_H
#define SEL4_BENCHMARK_UTILISATION_TYPES_H

#include <limen/abi.h>

#endif /* SEL4_BENCHMARK_UTILISATION_TYPES_H */
