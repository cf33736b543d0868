/* Digests without end, while records arrive at a rate.
 *
 * load: the part of the processor, in percent, that sealing the records takes with vector registers. The time of one such
 * seal is measured first, at this program's request. All figures are of a running system: traps, switches, the driver and
 * a periodic program take their time as well.
 *
 * load_rate: bytes that this program digests in ten thousand instructions while records arrive. load_sealed, load_lost: of
 * a thousand records. load_recovery: from the last arrival until no record is left to seal. load_latency: how much later
 * than without a load the periodic program runs, at most. */

#include "load.h"
#include "samples.h"
#include "window.h"

#define DRIVER 0
#define DIGEST 0
#define ONE_SEAL 1
#define PAGE_BYTES 4096ul
/* The time of a load, in seals. */
#define SEALS 1000
/* Instructions until the first record arrives. */
#define LEAD 50000

seL4_Word load_base;
seL4_Word sealed;
seL4_Word keys_of_interrupt;
seL4_Word keys_of_worker;
seL4_Word keys_of_program;

/* Of one record, in instructions. */
static seL4_Word seal_time;
/* How late the periodic program runs without a load. */
static seL4_Word idle_delay;

static void set_key(seL4_Word at)
{
    volatile limen_seal_key_t *key = (volatile limen_seal_key_t *)at;
    for (int i = 0; i < LIMEN_SEAL_KEY_BYTES; i++) {
        key->key[i] = i;
    }
    key->salt = 1;
}

static seL4_Word time_of_seal(void)
{
    seL4_Word least = ~0ul;
    for (int i = 0; i < 10; i++) {
        seL4_Word count, before = limen_counter();
        bench_check(limen_seal(ONE_SEAL, &count) == seL4_NoError && count == 1, "the record was not sealed");
        seL4_Word time = limen_counter() - before;
        least = time < least ? time : least;
    }
    return least;
}

static void digest(void)
{
    limen_digest_t digest;
    bench_check(limen_digest(DIGEST, &digest) == seL4_NoError, "there is no digest of the page");
}

/* Digests until this moment. Returns how many digests were complete then. */
static seL4_Word digest_until(seL4_Word end)
{
    for (seL4_Word count = 0;; count++) {
        digest();
        if (limen_counter() > end) {
            return count;
        }
    }
}

#if defined(SOURCE)
#define SOURCE_PARAMETER ROW_PARAMETER("source", SOURCE)
#else
#define SOURCE_PARAMETER ""
#endif
#define MODE_PARAMETER ROW_PARAMETER("mode", MODE) SOURCE_PARAMETER

struct rows {
    seL4_Word percent;
    const char *rate, *sealed, *lost, *recovery, *latency;
};

#define ROW_NAME(name, percent) name MODE_PARAMETER " load=" #percent
#define ROWS(percent)                                                                                                  \
    {                                                                                                                  \
        percent, ROW_NAME("load_rate", percent), ROW_NAME("load_sealed", percent), ROW_NAME("load_lost", percent),     \
            ROW_NAME("load_recovery", percent), ROW_NAME("load_latency", percent)                                      \
    }

static const struct rows loads[] = { ROWS(5), ROWS(10), ROWS(20), ROWS(40), ROWS(60), ROWS(80) };

/* How late the periodic program has run at most since `longest_delay` was cleared, or is by now. */
static seL4_Word longest_delay(void)
{
    struct load *load = this_load();
    seL4_Word now = limen_counter(), late = now > load->release ? now - load->release : 0;
    return late > load->longest_delay ? late : load->longest_delay;
}

static void measure_idle(void)
{
    seL4_Word time = SEALS * seal_time;
    this_load()->longest_delay = 0;
    bench_count_from();
    seL4_Word count = digest_until(limen_counter() + time);
    idle_delay = longest_delay();
    bench_check(idle_delay != 0 && idle_delay < seal_time, "the periodic program did not run");
#if defined(MODE_nested)
    bench_count_to();
    samples_print_one("load_rate mode=none" SOURCE_PARAMETER " load=0", count * PAGE_BYTES * 10000 / time);
#else
    bench_check(count != 0, "nothing was digested");
#endif
}

static void measure(const struct rows *rows)
{
    struct load *load = this_load();
    seL4_Word time = SEALS * seal_time, period = seal_time * 100 / rows->percent;
    seL4_Uint64 before = last_number(sealed);
    load->period = period;
    load->arrivals = time / period;
    load->last_sealed = 0;
    load->longest_delay = 0;
    load->start = limen_counter() + LEAD;
    load->is_over = 0;
    /* Before the load begins, because this program may not run during it. */
    bench_count_from();
    microkit_notify(DRIVER);
    seL4_Word last_arrival = load->start + (load->arrivals - 1) * period, end = load->start + time;
    digest_until(load->start);
    seL4_Word count = digest_until(end);
    bench_count_to();
    seL4_Word latency = longest_delay();
    /* Until nothing has been sealed for some time. */
    seL4_Uint64 last;
    do {
        last = last_number(sealed);
        digest_until(limen_counter() + 30 * period + 30 * seal_time);
    } while (last != last_number(sealed));
    load->is_over = 1;
    digest_until(limen_counter() + 2 * period);
    seL4_Word records = last - before;
    bench_check(records != 0 && records <= load->arrivals, "other records were sealed than have arrived");
    samples_print_one(rows->rate, count * PAGE_BYTES * 10000 / time);
    samples_print_one(rows->sealed, records * 1000 / load->arrivals);
    samples_print_one(rows->lost, (load->arrivals - records) * 1000 / load->arrivals);
    samples_print_one(rows->recovery, load->last_sealed > last_arrival ? load->last_sealed - last_arrival : 0);
    samples_print_one(rows->latency, latency > idle_delay ? latency - idle_delay : 0);
}

void init(void)
{
    set_key(keys_of_interrupt);
    set_key(keys_of_worker);
    set_key(keys_of_program);
    seal_time = time_of_seal();
    samples_print_one("load_seal_time" MODE_PARAMETER, seal_time);
    measure_idle();
    for (seL4_Word i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        measure(&loads[i]);
    }
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
