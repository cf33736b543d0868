/* Prints what the first program read. */

#include "samples.h"

seL4_Word count;

void init(void)
{
    seL4_Word value = *(volatile seL4_Word *)count;
    bench_check(value != 0, "the first program read nothing");
    samples_print_one("boot", value);
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
