/* The interface between clients and server: one shared region per client, with one request at a time. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdint.h>

#define DATA_BYTES 2048

enum command { APPEND, READ };

struct request {
    uint32_t command;
    uint32_t bucket;
    /* In a request, the length of the data; in an answer, the length of the bucket. */
    uint32_t length;
    char data[DATA_BYTES];
};

#endif /* REQUEST_H */
