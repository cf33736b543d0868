/* Calls servers with and without a scheduling context of their own, with messages of several lengths.
 *
 * ppc_rt: between the two reads lie microkit_ppcall, which is the check of the channel, four loads of message words unless the
 * request is empty, the system call and the stores of the answer; and the server's path from its receive through the event loop to `protected`, which
 * returns its argument, and back. The request is complete before the first read, with its words in the buffer.
 *
 * ppc_oneway: the first read is the client's, as above; the second is the server's, the first operation in `protected`.
 *
 * Before every measured call, another call takes the same path, and the client checks every word of its answer.
 *
 * On a simulated core, the row of ppc_rt with sample=cold is the very first call of this program. */

#include "ppc.h"
#include "samples.h"

/* The counter value stored by the server; set by the tool. */
seL4_Word stamp;

static struct samples samples;

/* The number of verified and measured calls; part of each message, to detect stale answers. */
static seL4_Word serial;

static seL4_Word request_word(seL4_Word i)
{
    return serial * 1000 + i;
}

static void put_request(seL4_Word words)
{
    serial++;
    for (seL4_Word i = 0; i < words; i++) {
        microkit_mr_set((seL4_Uint8)i, request_word(i));
    }
}

static void check_answer(microkit_msginfo answer, seL4_Word words, seL4_Word added)
{
    int right = microkit_msginfo_get_label(answer) == serial && microkit_msginfo_get_count(answer) == words;
    for (seL4_Word i = 0; i < words; i++) {
        right &= microkit_mr_get((seL4_Uint8)i) == request_word(i) + added;
    }
    bench_check(right, "a protected call brought back wrong words");
}

/* A server: its measured channel and the one for verification. Constants, so that microkit_ppcall folds them. */
#define ECHO_ACTIVE 0, 1
#define ECHO_PASSIVE_MEASURED 2
#define ECHO_PASSIVE ECHO_PASSIVE_MEASURED, 3
#define STAMP_ACTIVE 4, 5
#define STAMP_PASSIVE 6, 7

LIMEN_INLINE void verify_server(microkit_channel verified, seL4_Word words)
{
    put_request(words);
    check_answer(microkit_ppcall(verified, microkit_msginfo_new(serial, (seL4_Uint16)words)), words, 1);
}

LIMEN_INLINE seL4_Word round_trip(microkit_channel measured, seL4_Word words)
{
    put_request(words);
    microkit_msginfo request = microkit_msginfo_new(serial, (seL4_Uint16)words);
    seL4_Word before = limen_counter();
    microkit_msginfo answer = microkit_ppcall(measured, request);
    seL4_Word after = limen_counter();
    check_answer(answer, words, 0);
    return after - before;
}

LIMEN_INLINE seL4_Word one_way(microkit_channel measured, seL4_Word words)
{
    put_request(words);
    microkit_msginfo request = microkit_msginfo_new(serial, (seL4_Uint16)words);
    seL4_Word before = limen_counter();
    microkit_msginfo answer = microkit_ppcall(measured, request);
    check_answer(answer, words, 0);
    return *(volatile seL4_Word *)stamp - before;
}

LIMEN_INLINE void measure_round_trip(const char *row, microkit_channel measured, microkit_channel verified,
                                     seL4_Word words)
{
    samples_start(&samples);
    do {
        verify_server(verified, words);
    } while (samples_add(&samples, round_trip(measured, words)));
    samples_print(&samples, row);
}

LIMEN_INLINE void measure_one_way(const char *row, microkit_channel measured, microkit_channel verified,
                                  seL4_Word words)
{
    samples_start(&samples);
    do {
        verify_server(verified, words);
    } while (samples_add(&samples, one_way(measured, words)));
    samples_print(&samples, row);
}

static void measure_round_trips(void)
{
    measure_round_trip("ppc_rt server=passive words=0" ROW_FPU, ECHO_PASSIVE, 0);
    measure_round_trip("ppc_rt server=passive words=4" ROW_FPU, ECHO_PASSIVE, 4);
    measure_round_trip("ppc_rt server=passive words=5" ROW_FPU, ECHO_PASSIVE, 5);
    measure_round_trip("ppc_rt server=passive words=64" ROW_FPU, ECHO_PASSIVE, 64);
    measure_round_trip("ppc_rt server=active words=0" ROW_FPU, ECHO_ACTIVE, 0);
    measure_round_trip("ppc_rt server=active words=4" ROW_FPU, ECHO_ACTIVE, 4);
    measure_round_trip("ppc_rt server=active words=5" ROW_FPU, ECHO_ACTIVE, 5);
    measure_round_trip("ppc_rt server=active words=64" ROW_FPU, ECHO_ACTIVE, 64);
}

static void measure_ways_there(void)
{
    measure_one_way("ppc_oneway server=passive words=0" ROW_FPU, STAMP_PASSIVE, 0);
    measure_one_way("ppc_oneway server=passive words=4" ROW_FPU, STAMP_PASSIVE, 4);
    measure_one_way("ppc_oneway server=passive words=5" ROW_FPU, STAMP_PASSIVE, 5);
    measure_one_way("ppc_oneway server=passive words=64" ROW_FPU, STAMP_PASSIVE, 64);
    measure_one_way("ppc_oneway server=active words=0" ROW_FPU, STAMP_ACTIVE, 0);
    measure_one_way("ppc_oneway server=active words=4" ROW_FPU, STAMP_ACTIVE, 4);
    measure_one_way("ppc_oneway server=active words=5" ROW_FPU, STAMP_ACTIVE, 5);
    measure_one_way("ppc_oneway server=active words=64" ROW_FPU, STAMP_ACTIVE, 64);
}

void init(void)
{
#if defined(IN_CYCLES)
    seL4_Word cold = round_trip(ECHO_PASSIVE_MEASURED, 0);
#endif
    samples_print_overhead();
#if defined(IN_CYCLES)
    samples_print_one("ppc_rt server=passive words=0" ROW_FPU " sample=cold", cold);
#endif
    measure_round_trips();
    measure_ways_there();
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
