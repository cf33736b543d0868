/* Files with blocking reads and writes, built on the driver's requests and notifications.
 *
 * Call these functions from cothreads only. One cothread uses a file at a time; any number of files may wait at once. */
#ifndef FILE_H
#define FILE_H

#include "disk.h"
#include "say.h"

#define DISK 0

/* The driver's region; set by the tool. */
uintptr_t requests;

struct file {
    /* The index of its request in the driver's region. */
    int request;
    uint32_t sector;
};

/* Every notification wakes all waiters, so each one checks its own request. */
static inline volatile struct disk_request *file_transfer(struct file *file, uint32_t is_write)
{
    volatile struct disk_request *request = &((volatile struct disk *)requests)->requests[file->request];
    request->is_write = is_write;
    request->sector = file->sector++;
    request->state = DISK_SUBMITTED;
    microkit_notify(DISK);
    while (request->state != DISK_DONE) {
        must(microkit_cothread_wait_on_channel(DISK));
    }
    request->state = DISK_FREE;
    return request;
}

/* Transfer SECTOR_BYTES from the position where the last call ended. */
static inline void file_read(struct file *file, char *data)
{
    volatile struct disk_request *request = file_transfer(file, 0);
    for (int i = 0; i < SECTOR_BYTES; i++) {
        data[i] = request->data[i];
    }
}

static inline void file_write(struct file *file, const char *data)
{
    volatile struct disk_request *request = &((volatile struct disk *)requests)->requests[file->request];
    for (int i = 0; i < SECTOR_BYTES; i++) {
        request->data[i] = data[i];
    }
    file_transfer(file, 1);
}

#endif /* FILE_H */
