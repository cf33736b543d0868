#include "recorded.h"
#include "test.h"

/* Set by the tool. */
seL4_Word trace;

limen_trace_record_t records[RECORDED_MOST];
seL4_Word count;
limen_trace_cursor_t cursor;

void recorded_begin(seL4_Word groups)
{
    limen_trace_record_t record;
    cursor.ring = (const seL4_Uint64 *)trace;
    while (limen_trace_next(&cursor, &record)) {
    }
    cursor.lost = 0;
    for (seL4_Word key = 0; key < TRACE_GROUPS; key++) {
        if (groups & GROUP(key)) {
            CHECK_EQUAL(limen_key_enable(key), seL4_NoError);
        }
    }
}

void recorded_end(seL4_Word groups)
{
    for (seL4_Word key = 0; key < TRACE_GROUPS; key++) {
        if (groups & GROUP(key)) {
            CHECK_EQUAL(limen_key_disable(key), seL4_NoError);
        }
    }
    count = 0;
    while (count < RECORDED_MOST && limen_trace_next(&cursor, &records[count])) {
        count++;
    }
}

void recorded_remove_interrupts(void)
{
    seL4_Word kept = 0;
    int is_inside = 0;
    for (seL4_Word i = 0; i < count; i++) {
        is_inside |= records[i].kind == limen_traced_entry && records[i].first == limen_trace_by_interrupt;
        if (!is_inside) {
            records[kept++] = records[i];
        }
        is_inside &= records[i].kind != limen_traced_exit;
    }
    count = kept;
}

seL4_Word recorded_find(seL4_Word from, limen_trace_kind_t kind, seL4_Word thread)
{
    while (from < count && (records[from].kind != (seL4_Uint64)kind || records[from].thread != thread)) {
        from++;
    }
    return from;
}

seL4_Word recorded_count(limen_trace_kind_t kind)
{
    seL4_Word found = 0;
    for (seL4_Word i = 0; i < count; i++) {
        found += records[i].kind == (seL4_Uint64)kind;
    }
    return found;
}

void check_record(seL4_Word at, limen_trace_kind_t kind, seL4_Word thread, seL4_Word first, int line)
{
    check(at < count, "the record exists", line);
    if (at < count) {
        check_equal(records[at].kind, kind, "kind", line);
        check_equal(records[at].thread, thread, "thread", line);
        check_equal(records[at].first, first, "first", line);
    }
}
