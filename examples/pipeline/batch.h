/* The batches that the programs pass on, and their contents. */
#ifndef PIPELINE_BATCH_H
#define PIPELINE_BATCH_H

#include <microkit.h>

/* The programs, in the order of the pipeline. */
enum stage { SOURCE, PARSER, FILTER, SINK, STAGES };

#define SENSORS 16

/* A line is text of fixed length: sensor, time, value, and the XOR of all characters before as two hexadecimal digits.
 *
 *     07 00000123 2931 5c
 */
#define LINE_BYTES 20
#define SENSOR_AT 0
#define SENSOR_DIGITS 2
#define TIME_AT 3
#define TIME_DIGITS 8
#define VALUE_AT 12
#define VALUE_DIGITS 4
#define CHECK_AT 17
#define NEWLINE_AT 19

/* Lines or readings in a batch, at most. */
#define BATCH_ENTRIES 64

struct reading {
    seL4_Uint32 time;
    seL4_Uint16 sensor;
    seL4_Uint16 value;
};

/* What each program has counted. It travels with the last batch, and each program adds its part. */
struct ledger {
    /* Of the source: lines, damaged ones, and spikes in the others. */
    seL4_Uint32 lines;
    seL4_Uint32 damaged;
    seL4_Uint32 spikes;
    /* Of the parser: lines without a reading. */
    seL4_Uint32 dropped;
    /* Of the filter: values that were far from the median. */
    seL4_Uint32 replaced;
    /* Notifications that each program has sent to the next one and to the previous one before its last batch. */
    seL4_Uint32 forward[STAGES];
    seL4_Uint32 back[STAGES];
};

struct batch {
    seL4_Uint32 count;
    seL4_Uint32 is_last;
    struct ledger ledger;
    union {
        /* From the source. */
        char lines[BATCH_ENTRIES][LINE_BYTES];
        /* From the parser and from the filter. */
        struct reading readings[BATCH_ENTRIES];
    };
};

/* The number of entries to handle. The program before can write any count, and can change it at any time. */
static inline unsigned batch_count(const struct batch *batch)
{
    seL4_Uint32 count = *(const volatile seL4_Uint32 *)&batch->count;
    return count <= BATCH_ENTRIES ? count : BATCH_ENTRIES;
}

#endif /* PIPELINE_BATCH_H */
