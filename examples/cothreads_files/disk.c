/* An event-driven disk driver that never blocks. At the next event it completes the submitted requests and notifies the
 * user. Its priority is lower than the user's, so requests accumulate while the user is busy. */

#include <microkit.h>

#include "disk.h"

#define USER 0

/* Set by the tool. */
uintptr_t requests;

static char sectors[SECTORS][SECTOR_BYTES] = {
    "a domain reacts ", "to events, and  ", "yet code may    ", "wait in it.     ",
};

static void transfer(volatile char *to, const volatile char *from)
{
    for (int i = 0; i < SECTOR_BYTES; i++) {
        to[i] = from[i];
    }
}

static void execute(volatile struct disk_request *request)
{
    char *sector = sectors[request->sector % SECTORS];
    if (request->is_write) {
        transfer(sector, request->data);
    } else {
        transfer(request->data, sector);
    }
    request->state = DISK_DONE;
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    volatile struct disk *disk = (volatile struct disk *)requests;
    (void)ch;
    for (int i = 0; i < REQUESTS; i++) {
        if (disk->requests[i].state == DISK_SUBMITTED) {
            execute(&disk->requests[i]);
        }
    }
    microkit_notify(USER);
}
