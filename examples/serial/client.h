/* What clients of the driver share: their end of the queues. */
#ifndef SERIAL_CLIENT_H
#define SERIAL_CLIENT_H

#include <microkit.h>
#include "queue.h"

/* The channel to the driver. */
#define DRIVER 0

/* What the driver sends for this program; set by the tool. */
extern struct queue *output;

/* Bytes that the queue still takes. */
static inline unsigned room(void)
{
    return QUEUE_BYTES - queue_length(output);
}

/* Puts a text for which there is room. */
static inline void put(const char *text)
{
    while (*text) {
        queue_put(output, *text++);
    }
}

#endif /* SERIAL_CLIENT_H */
