/* What the programs of the suite tell each other. */
#ifndef ORDERS_H
#define ORDERS_H

struct orders {
    /* The victim: how often it has started, and whether its memory was as at first. */
    volatile unsigned long starts;
    volatile unsigned long was_pristine;
    /* The victim is to fault when it is told something. */
    volatile unsigned long fault;
    /* The supervisor: how often it has run, and how often it is still to stop the tester. */
    volatile unsigned long ticks;
    volatile unsigned long disturbances;
};

#endif /* ORDERS_H */
