/* Traces two workers, and prints who used the processor. */

#include <limen.h>
#include <limen/trace.h>
#include <microkit.h>

/* Keys. */
#define THREADS 0
#define PROGRAMS 1

/* The workers: their channels and the numbers of their threads. */
#define LIGHT 1
#define HEAVY 2

/* Set by the tool. */
seL4_Word trace;

static seL4_Word finished;

void init(void)
{
    limen_key_enable(THREADS);
    limen_key_enable(PROGRAMS);
    microkit_notify(LIGHT);
    microkit_notify(HEAVY);
}

static void print_worker(const char *name, seL4_Word number, const seL4_Uint64 *ticks, const seL4_Word *jobs)
{
    microkit_dbg_puts(name);
    microkit_dbg_put32((seL4_Uint32)jobs[number]);
    microkit_dbg_puts(" jobs, ");
    microkit_dbg_puts(ticks[number] > ticks[LIGHT + HEAVY - number] ? "most of the time\n" : "the rest\n");
}

static void print_use(void)
{
    limen_trace_cursor_t cursor = { .ring = (const seL4_Uint64 *)trace };
    limen_trace_record_t record;
    seL4_Uint64 ticks[3] = { 0 }, since = 0;
    seL4_Word jobs[3] = { 0 };
    while (limen_trace_next(&cursor, &record)) {
        if (record.kind == limen_traced_switch) {
            /* The first record of all names the thread that ran when the trace was turned on. */
            if (record.thread < 3) {
                ticks[record.thread] += record.time - since;
            }
            since = record.time;
        } else if (record.kind == limen_traced_span_end && record.thread < 3) {
            jobs[record.thread]++;
        }
    }
    print_worker("light: ", LIGHT, ticks, jobs);
    print_worker("heavy: ", HEAVY, ticks, jobs);
    microkit_dbg_puts(cursor.lost == 0 ? "no record was lost\n" : "records were lost\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
    if (++finished == 2) {
        limen_key_disable(PROGRAMS);
        limen_key_disable(THREADS);
        print_use();
        microkit_dbg_puts("LIMEN|DONE\n");
    }
}
