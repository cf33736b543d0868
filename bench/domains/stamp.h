/* Memory shared by the programs. */
#ifndef BENCH_DOMAINS_STAMP_H
#define BENCH_DOMAINS_STAMP_H

#include <microkit.h>

struct stamp {
    /* The counter value stored by the program that runs in the current slot. */
    seL4_Word counter;
    /* True after the row of the first pair has been printed. */
    seL4_Word first_is_done;
};

#endif /* BENCH_DOMAINS_STAMP_H */
