/* Memory that the programs of the suite share. */
#ifndef ORDERS_H
#define ORDERS_H

#define RECORD 2000

struct orders {
    /* The number of interrupts that the sensor received. */
    volatile unsigned long interrupts;
    /* The answer to the sensor's request for its seal, and how many records that sealed. */
    volatile unsigned long error;
    volatile unsigned long sealed;
};

#endif /* ORDERS_H */
