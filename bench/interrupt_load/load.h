/* A load of interrupts. Stored in page `load`, for all programs. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <limen.h>
#include <microkit.h>

/* Bytes of a record that arrives, and of a buffer. */
#define RECORD 1520
#define BUFFER 2032
#define BUFFERS 16
/* Bytes of the region with sealed records. */
#define SEALED_BYTES 0x8000

struct load {
    /* Moment of the first arrival, instructions between two, and how many there are. */
    volatile seL4_Word start;
    volatile seL4_Word period;
    volatile seL4_Word arrivals;
    /* The device must be silent. */
    volatile seL4_Word is_over;
    /* When more records were found sealed, for the last time. */
    volatile seL4_Word last_sealed;
    /* When the periodic program is to run next, and how late it ran at most. */
    volatile seL4_Word release;
    volatile seL4_Word longest_delay;
};

/* Its address; set by the tool. */
extern seL4_Word load_base;

static inline struct load *this_load(void)
{
    return (struct load *)load_base;
}

/* The number of arrivals until this moment. */
static inline seL4_Word arrivals_until(seL4_Word now)
{
    struct load *load = this_load();
    seL4_Word due = now < load->start ? 0 : (now - load->start) / load->period + 1;
    return due < load->arrivals ? due : load->arrivals;
}

/* How many records have been sealed since the system started: the highest number in their region. */
static inline seL4_Uint64 last_number(seL4_Word sealed)
{
    seL4_Uint64 last = 0;
    for (seL4_Word at = 0; at + LIMEN_SEALED_BYTES(BUFFER) <= SEALED_BYTES; at += LIMEN_SEALED_BYTES(BUFFER)) {
        seL4_Uint64 number = ((const volatile limen_sealed_t *)(sealed + at))->number;
        last = number > last ? number : last;
    }
    return last;
}

#endif /* BENCH_LOAD_H */
