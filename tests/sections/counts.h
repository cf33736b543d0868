/* Memory that the programs of the suite share. */
#ifndef COUNTS_H
#define COUNTS_H

struct counts {
    /* The measurer: digests, those that were not like the first, and registers that were not its own. */
    volatile unsigned long digests;
    volatile unsigned long other_digests;
    volatile unsigned long other_registers;
    /* The vault: interrupts. */
    volatile unsigned long interrupts;
};

#endif /* COUNTS_H */
