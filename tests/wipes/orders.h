/* Memory that the programs of the suite share. */
#ifndef ORDERS_H
#define ORDERS_H

#define KEYS_WORDS (0x10000 / sizeof(unsigned long))
#define SECRETS_WORDS (0x1000 / sizeof(unsigned long))

struct orders {
    /* The number of interrupts that the vault received. */
    volatile unsigned long interrupts;
    /* The holder's order: a bad access, or an unknown system call. */
    volatile unsigned long bad_call;
};

#endif /* ORDERS_H */
