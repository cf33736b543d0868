/* The interface between the driver and its client: requests in shared memory, each with a page of data.
 *
 *     client                            driver
 *     fills in a free request
 *     state = SUBMITTED, notifies  -->  checks it, submits it to the device
 *     state is DONE, notified      <--  status, data
 *     state = FREE
 *
 * Only the client makes a request SUBMITTED or FREE, only the driver makes it DONE. The region's first page holds the
 * requests, the data of request i is in page 1 + i. */
#ifndef BLOCK_H
#define BLOCK_H

#include <microkit.h>

#define BLOCK_REQUESTS 4
#define BLOCK_PAGE_BYTES 0x1000
#define BLOCK_SECTOR_BYTES 512
/* Sectors of the largest request: a page. */
#define BLOCK_MOST_SECTORS (BLOCK_PAGE_BYTES / BLOCK_SECTOR_BYTES)

enum block_state { BLOCK_FREE, BLOCK_SUBMITTED, BLOCK_DONE };
enum block_operation { BLOCK_READ, BLOCK_WRITE };
enum block_status {
    BLOCK_OK,
    /* The device reported an error. */
    BLOCK_FAILED,
    /* Invalid operation or sectors. */
    BLOCK_REFUSED,
};

struct block_request {
    volatile seL4_Uint32 state;
    volatile seL4_Uint32 operation;
    volatile seL4_Uint32 sector;
    /* 1 to BLOCK_MOST_SECTORS. */
    volatile seL4_Uint32 sectors;
    volatile seL4_Uint32 status;
};

static inline struct block_request *block_request(seL4_Word region, unsigned index)
{
    return (struct block_request *)region + index;
}

/* Returns the address of a request's data, given the virtual or physical start of the region. */
static inline seL4_Word block_data(seL4_Word region, unsigned index)
{
    return region + (1 + index) * BLOCK_PAGE_BYTES;
}

/* A memory barrier: the other side sees accesses before it before those after it. */
static inline void block_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif /* BLOCK_H */
