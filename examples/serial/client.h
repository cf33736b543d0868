/* The clients' end of the queues. */
#ifndef SERIAL_CLIENT_H
#define SERIAL_CLIENT_H

#include <microkit.h>
#include "queue.h"

/* The channel to the driver. */
#define DRIVER 0

/* The queue of bytes that the driver sends for this program; set by the tool. */
extern struct queue *output;

/* The free space of the queue in bytes. */
static inline unsigned room(void)
{
    return QUEUE_BYTES - queue_length(output);
}

/* Enqueues a text that fits. */
static inline void put(const char *text)
{
    while (*text) {
        queue_put(output, *text++);
    }
}

#endif /* SERIAL_CLIENT_H */
