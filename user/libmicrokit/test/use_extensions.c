/* Uses the headers of Limen that the C interface of the reference has no counterpart of. Valid C and C++; never run. */

#include <limen.h>
#include <limen/probe.h>
#include <limen/ring.h>
#include <limen/service.h>
#include <limen/trace.h>

seL4_Word sum(const seL4_Uint64 *rings, seL4_Word value);

static seL4_Word records(const seL4_Uint64 *rings)
{
    limen_trace_cursor_t cursor = { limen_trace_ring(rings, 1), 0, 0 };
    limen_trace_record_t record;
    seL4_Word total = limen_trace_frequency(&cursor);
    while (limen_trace_next(&cursor, &record)) {
        total += record.first;
    }
    return total + cursor.lost;
}

static seL4_Word samples(void)
{
    limen_ring_cursor_t cursor = { LIMEN_ADDRESS(const limen_ring_line_t *, 0x4000000ul), 0, 0 };
    limen_probe_sample_t sample;
    limen_crossing_t crossing = { 0, 0, 0, 0, 0, 0, 0 };
    seL4_Word total = limen_probe_start() == seL4_NoError;
    total += LIMEN_PROBE_ARM(undefined) == seL4_NoError;
    limen_cross_undefined(&crossing);
    total += limen_probe_read(&sample) == seL4_NoError;
    total += limen_probe_arm_interrupt() == seL4_NoError;
    total += limen_probe_arm_syscall() == seL4_NoError;
    while (limen_probe_ring_next(&cursor, &sample)) {
        total += sample.entry - sample.user;
    }
    return total + (limen_probe_stop() == seL4_NoError) + crossing.exit;
}

static seL4_Word services(const void *region)
{
    static limen_seal_key_t key;
    unsigned char text[16];
    limen_digest_t digest;
    seL4_Word sealed, length = 0;
    seL4_Word total = limen_digest(0, &digest) == seL4_NoError;
    total += limen_reset(1) == seL4_NoError;
    total += limen_seal(2, &sealed) == seL4_NoError;
    total += limen_open(&key, region, 4096, sizeof(text), 1, text, &length) == LIMEN_OPENED;
    total += limen_open_aes_256_gcm(&key, region, 4096, sizeof(text), 1, text, &length) == LIMEN_NOT_SEALED;
    return total + sealed + length + digest.words[0];
}

seL4_Word sum(const seL4_Uint64 *rings, seL4_Word value)
{
    limen_trace_begin("sum", value);
    limen_trace_event("a pointer", rings);
    limen_trace_counter("a counter", LIMEN_VALUE(int, value));
    limen_trace_end("sum", value);
    return records(rings) + samples() + services(rings);
}
