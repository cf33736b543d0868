/* Reads the first sector of the disk, writes it to the last one in capitals, and reads that back. */

#include "block.h"

#define DRIVER 0
#define FIRST_SECTOR 0
#define LAST_SECTOR 127

/* Set by the tool. */
seL4_Word requests;

/* The request that the client waits for. */
static enum { READS, WRITES, READS_BACK } step;

static char *data(void)
{
    return (char *)block_data(requests, 0);
}

static void submit(enum block_operation operation, seL4_Uint32 sector)
{
    struct block_request *request = block_request(requests, 0);
    request->operation = operation;
    request->sector = sector;
    request->sectors = 1;
    block_fence();
    request->state = BLOCK_SUBMITTED;
    microkit_notify(DRIVER);
}

/* Prints the first line of the data. */
static void show(const char *what)
{
    microkit_dbg_puts(what);
    for (const char *at = data(); at < data() + BLOCK_SECTOR_BYTES && *at != '\n'; at++) {
        microkit_dbg_putc(*at);
    }
    microkit_dbg_puts("\n");
}

static void capitalize(void)
{
    for (char *at = data(); at < data() + BLOCK_SECTOR_BYTES; at++) {
        if (*at >= 'a' && *at <= 'z') {
            *at = (char)(*at - 'a' + 'A');
        }
    }
}

static void go_on(void)
{
    switch (step) {
    case READS:
        show("client: the first sector says: ");
        capitalize();
        step = WRITES;
        submit(BLOCK_WRITE, LAST_SECTOR);
        return;
    case WRITES:
        *data() = 0;
        step = READS_BACK;
        submit(BLOCK_READ, LAST_SECTOR);
        return;
    case READS_BACK:
        show("client: the last sector says: ");
        microkit_dbg_puts("LIMEN|DONE\n");
        return;
    }
}

void init(void)
{
    submit(BLOCK_READ, FIRST_SECTOR);
}

void notified(microkit_channel ch)
{
    (void)ch;
    struct block_request *request = block_request(requests, 0);
    if (request->state != BLOCK_DONE) {
        return;
    }
    block_fence();
    if (request->status != BLOCK_OK) {
        microkit_dbg_puts("LIMEN|FAIL the driver could not carry out a request\n");
        return;
    }
    request->state = BLOCK_FREE;
    go_on();
}
