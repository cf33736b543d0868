/* A disk driver, as drivers are: nobody waits in it. What was submitted is done at the next event, and then the other
 * side is notified. Its priority is lower than that of its user, so requests pile up while the user is busy. */

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
