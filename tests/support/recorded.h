/* What the kernel has traced. For programs with <trace setvar_vaddr="trace"/>, which have the keys of the groups that they use
 * under these numbers:
 *
 *   recorded_begin(GROUP(MESSAGES));
 *   call();
 *   recorded_end(GROUP(MESSAGES));
 *   CHECK_RECORD(recorded_find(0, limen_traced_call, TESTER), limen_traced_call, TESTER, SERVER);
 */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include <limen.h>
#include <limen/trace.h>

enum { ENTRIES, THREADS, MESSAGES, INTERRUPTS, TIME, MEMORY, PROGRAMS, TRACE_GROUPS };
#define GROUP(key) (1ul << (key))

/* The most records that a test looks at. */
#define RECORDED_MOST 1024

/* The records between the last begin and end. */
extern limen_trace_record_t records[RECORDED_MOST];
extern seL4_Word count;
extern limen_trace_cursor_t cursor;

/* Skips what was recorded so far, and turns these groups on. */
void recorded_begin(seL4_Word groups);

/* Turns groups off, and reads what was recorded. */
void recorded_end(seL4_Word groups);

/* Removes what interrupts record, which may come at any time: all from the entry to the exit. */
void recorded_remove_interrupts(void);

/* The position of the next such record, or the number of records. */
seL4_Word recorded_find(seL4_Word from, limen_trace_kind_t kind, seL4_Word thread);

seL4_Word recorded_count(limen_trace_kind_t kind);

/* Whether the record at this position is this one. */
void check_record(seL4_Word at, limen_trace_kind_t kind, seL4_Word thread, seL4_Word first, int line);
#define CHECK_RECORD(at, kind, thread, first) check_record(at, kind, thread, first, __LINE__)

#endif /* TESTS_RECORDED_H */
