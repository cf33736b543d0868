/* The interface of the disk driver: requests in shared memory, one notification to start them, one when some are done. */
#ifndef DISK_H
#define DISK_H

#include <stdint.h>

#define SECTOR_BYTES 16
#define SECTORS 32
#define REQUESTS 4

enum disk_state { DISK_FREE, DISK_SUBMITTED, DISK_DONE };

struct disk_request {
    uint32_t state;
    uint32_t is_write;
    uint32_t sector;
    char data[SECTOR_BYTES];
};

/* The shared region: one request per user of the disk. */
struct disk {
    struct disk_request requests[REQUESTS];
};

#endif /* DISK_H */
