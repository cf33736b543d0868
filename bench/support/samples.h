/* Samples of the cycle counter and the row that is printed for them.
 *
 * A sample is the difference of two reads. What a pair of reads costs when nothing is between them is measured once
 * and subtracted from every sample; the row `read` shows it. No floating-point register is used. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <microkit.h>
#include <limen.h>

/* Rounds before the first sample is kept. */
#if !defined(WARM_UP)
#define WARM_UP 50
#endif
#define ROUNDS (WARM_UP + SAMPLES)

/* The parameter of rows that says who may use floating point in this build. */
#if !defined(FPU)
#define FPU on
#endif
#define ROW_TEXT(word) #word
#define ROW_PARAMETER(key, word) " " key "=" ROW_TEXT(word)
#define ROW_FPU ROW_PARAMETER("fpu", FPU)

struct samples {
    /* Rounds so far, those of the warm-up included. */
    seL4_Word rounds;
#if defined(IN_CYCLES)
    /* The sample of the first round. */
    seL4_Word first;
#endif
    seL4_Word values[SAMPLES];
};

/* Starts over, and touches all memory that samples_add will need. */
void samples_start(struct samples *samples);

/* Keeps a sample once the warm-up is over. True while more are wanted. */
static inline int samples_add(struct samples *samples, seL4_Word value)
{
    seL4_Word round = samples->rounds++;
#if defined(IN_CYCLES)
    if (round == 0) {
        samples->first = value;
    }
#endif
    if (round >= WARM_UP && round < ROUNDS) {
        samples->values[round - WARM_UP] = value;
    }
    return samples->rounds < ROUNDS;
}

/* Prints the row of a full set of samples. `row` has the name and the parameters: "ppc_rt server=active". With IN_CYCLES, a row
 * with `sample=first` follows: what the first round took, with cold caches. */
void samples_print(struct samples *samples, const char *row);

/* The same of values from which nothing is to be subtracted, with how often each was seen. */
void samples_print_distribution(struct samples *samples, const char *row);

/* As samples_print, with how often each value was seen: for samples that are not all taken at the same place. */
void samples_print_swept(struct samples *samples, const char *row);

/* Prints a row of one sample, which is taken as it is. */
void samples_print_one(const char *row, seL4_Word value);

/* Prints the row `read`. */
void samples_print_overhead(void);

/* Ends the run. */
void bench_done(void);

/* Ends the run with an error if something that was measured did not work. */
void bench_check(int holds, const char *what);

#endif /* BENCH_SAMPLES_H */
