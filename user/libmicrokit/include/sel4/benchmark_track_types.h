/* Entries of a log of kernel entries. There is none: CONFIG_BENCHMARK_TRACK_KERNEL_ENTRIES is never defined. Programs that
 * ask for it include this file. */
#ifndef SEL4_BENCHMARK_TRACK_TYPES_H
#define SEL4_BENCHMARK_TRACK_TYPES_H

#include <limen/abi.h>

#endif /* SEL4_BENCHMARK_TRACK_TYPES_H */
