/* Configuration data as sdfgen 0.35.1 writes it, and the programs' sections that take it. */
#ifndef TESTS_COMPAT_SDFGEN_CONFIG_H
#define TESTS_COMPAT_SDFGEN_CONFIG_H

#include <microkit.h>

/* Each kind of data begins with these four letters and its number. */
#define MAGIC "sDDF"
enum kind {
    KIND_DEVICE = 1,
    KIND_SERIAL = 3,
    KIND_TIMER = 6,
};

static inline int is_kind(const char magic[5], enum kind kind)
{
    for (int i = 0; i < 4; i++) {
        if (magic[i] != MAGIC[i]) {
            return 0;
        }
    }
    return magic[4] == (char)kind;
}

struct region {
    seL4_Word vaddr;
    /* In bytes. */
    seL4_Word size;
};

/* Memory that is shared with a neighbour, and the id of the channel to it. */
struct connection {
    struct region queue;
    struct region data;
    seL4_Uint8 id;
};

struct serial_client {
    char magic[5];
    struct connection receive;
    struct connection transmit;
};

struct timer_client {
    char magic[5];
    seL4_Uint8 id;
};

/* Registers and interrupts of a device: as many as the counts say. */
struct device {
    char magic[5];
    seL4_Uint8 regions;
    seL4_Uint8 interrupts;
    struct {
        struct region registers;
        seL4_Word paddr;
    } region[64];
    seL4_Uint8 interrupt[64];
};

/* Puts a variable into the section that takes its data. */
#define FILLED_IN(name) __attribute__((section(name), used))

#endif /* TESTS_COMPAT_SDFGEN_CONFIG_H */
