/* What a client and the server share: one region for each client, with one request at a time. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdint.h>

#define DATA_BYTES 2048

enum command { APPEND, READ };

struct request {
    uint32_t command;
    uint32_t bucket;
    /* Of the data in a request; of the bucket in an answer. */
    uint32_t length;
    char data[DATA_BYTES];
};

#endif /* REQUEST_H */
