/* Eight warm-up passes, then 32 that count: the mean of the cycles and the square of the deviation. */
#ifndef PASSES_H
#define PASSES_H

#include <microkit.h>
#include <limen.h>

#define WARM_UP 8
#define PASSES 32

static seL4_Word passes;
static seL4_Word sum;
static seL4_Word sum_of_squares;

/* Counts a pass. True while more are wanted. */
static inline int add_pass(seL4_Word cycles)
{
    if (passes++ >= WARM_UP) {
        sum += cycles;
        sum_of_squares += cycles * cycles;
    }
    return passes < WARM_UP + PASSES;
}

static inline void print_result(const char *what)
{
    seL4_Word mean = sum / PASSES;
    microkit_dbg_puts(what);
    microkit_dbg_puts(": Mean: ");
    microkit_dbg_put32((seL4_Uint32)mean);
    microkit_dbg_puts(", Stdev = sqrt(");
    microkit_dbg_put32((seL4_Uint32)(sum_of_squares / PASSES - mean * mean));
    microkit_dbg_puts(")\n");
    microkit_dbg_puts(what);
    microkit_dbg_puts(sum ? ": BENCHFINISHED\n" : ": the counter stands still\n");
}

#endif /* PASSES_H */
