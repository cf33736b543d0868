/* Memory that the programs of the suite share. */
#ifndef ORDERS_H
#define ORDERS_H

#define TEXT_WORDS (0x5000 / sizeof(unsigned long))

struct orders {
    /* The victim: how often it has started, and whether its memory was as at first. */
    volatile unsigned long starts;
    volatile unsigned long was_pristine;
    /* The victim's order: fault, or fill the text with the numbers of its words. */
    volatile unsigned long fault;
    volatile unsigned long fill;
    /* The supervisor: how often it has run, and how often it is still to stop the tester. */
    volatile unsigned long ticks;
    volatile unsigned long disturbances;
};

#endif /* ORDERS_H */
