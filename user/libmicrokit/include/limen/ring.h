/* Reads a ring: pages in which the kernel publishes numbered records, and which the program maps read-only.
 *
 *   limen_ring_cursor_t cursor = { .ring = (const limen_ring_line_t *)ring_address };
 *   limen_ring_line_t line;
 *   while (limen_ring_next(&cursor, line)) {
 *       ... line[LIMEN_RING_RECORD] and the words after it
 *   }
 *   ... cursor.lost
 *
 * There are no system calls, and nothing to give back: the kernel overwrites the oldest record. A ring may have any
 * number of readers, each with its own cursor. */
#ifndef LIMEN_RING_H
#define LIMEN_RING_H

#include <limen/abi.h>
#include <sel4/sel4.h>

/* A line of the cache. The first is the ring's header, each other one holds a record. */
typedef seL4_Uint64 limen_ring_line_t[LIMEN_RING_LINE_WORDS];

/* A position in a ring. All zeros but the ring, it is before the first record. */
typedef struct limen_ring_cursor {
    const limen_ring_line_t *ring;
    seL4_Uint64 next; /* the number of the next record, from 0 */
    seL4_Uint64 lost; /* records that were overwritten before this cursor read them */
} limen_ring_cursor_t;

/* Copies the line of the oldest record that was not read, and advances. Returns false if there is none. After the kernel
 * has cleared the ring, the cursor must be set back; one that is beyond the last record starts again by itself. */
static inline seL4_Bool limen_ring_next(limen_ring_cursor_t *cursor, limen_ring_line_t line)
{
    const limen_ring_line_t *ring = cursor->ring;
    for (;;) {
        seL4_Uint64 count = __atomic_load_n(&ring[0][LIMEN_RING_COUNT], __ATOMIC_ACQUIRE);
        if (count < cursor->next) {
            cursor->next = 0;
        }
        if (count == cursor->next) {
            return seL4_False;
        }
        seL4_Uint64 slots = __atomic_load_n(&ring[0][LIMEN_RING_SLOTS], __ATOMIC_RELAXED);
        if (count - cursor->next > slots) {
            cursor->lost += count - cursor->next - slots;
            cursor->next = count - slots;
        }
        const seL4_Uint64 *words = ring[1 + cursor->next % slots];
        int i;
        for (i = LIMEN_RING_RECORD; i < LIMEN_RING_LINE_WORDS; i++) {
            line[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        line[LIMEN_RING_NUMBER] = __atomic_load_n(&words[LIMEN_RING_NUMBER], __ATOMIC_RELAXED);
        if (line[LIMEN_RING_NUMBER] == cursor->next + 1) {
            cursor->next++;
            return seL4_True;
        }
        /* The kernel, on another processor, has overwritten it meanwhile. */
    }
}

#endif /* LIMEN_RING_H */
