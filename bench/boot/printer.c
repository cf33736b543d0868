/* Prints what the first program read. */

#include "samples.h"

/* The row, with the parameters of larger systems. */
#ifndef ROW
#define ROW "boot"
#endif

seL4_Word count;

void init(void)
{
    seL4_Word value = *(volatile seL4_Word *)count;
    bench_check(value != 0, "the first program read nothing");
    samples_print_one(ROW, value);
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
