/* Measures the library with the options of the program that includes this.
 *
 * co_switch: between the two reads lies one switch between contexts, including the call.
 *
 * notify_rt: microkit_notify, and everything until `notified` is called for the answer, as in bench/notify.
 *
 * co_wait_rt: the same seen from a cothread: microkit_notify, the wait, the switch to the root and its return to the
 * event loop, the answer, and the switch back. With path=bare the program switches directly, without the library's
 * queues.
 *
 * co_wait_cost: the difference of the medians of co_wait_rt and notify_rt.
 *
 * co_semaphore_signal, co_semaphore_wait: a signal without a waiter; a wait that finds the count above 0.
 *
 * ppc_rt, ppc_oneway: a protected call and its return; from the caller to the first instruction of `protected`.
 *
 * 32 samples after 8 warm-up rounds, as in the table that the library is compared with. */
#ifndef BENCH_COTHREADS_CLIENT_H
#define BENCH_COTHREADS_CLIENT_H

#include <libmicrokitco.h>
#include "samples.h"

#define ANSWERER 0
#define ECHO 1
#define START 2
#define NEXT 3

#define STACK_BYTES 0x2000

#if !defined(WAIT)
#define WAIT(ch) microkit_cothread_wait_on_channel(ch)
#endif

static struct samples samples;
static char stack[STACK_BYTES] __attribute__((aligned(16)));
static char controller[LIBMICROKITCO_CONTROLLER_SIZE];
static limen_co_context_t root;
static limen_co_context_t other;

static enum { IDLE, PLAIN, BARE, LIBRARY } phase;
static seL4_Word before;
static seL4_Word after;
static seL4_Word plain_median;

/* Of values from which the cost of the reads was not subtracted. Not part of `notified`, which is measured. */
static __attribute__((noinline)) seL4_Word median(void)
{
    for (seL4_Word i = 0; i < SAMPLES; i++) {
        seL4_Word less = 0, equal = 0;
        for (seL4_Word j = 0; j < SAMPLES; j++) {
            less += samples.values[j] < samples.values[i];
            equal += samples.values[j] == samples.values[i];
        }
        if (less <= SAMPLES / 2 && SAMPLES / 2 < less + equal) {
            return samples.values[i];
        }
    }
    return 0;
}

#if defined(SWITCH_CONDITIONS)
static void read_and_return(void)
{
    for (;;) {
        limen_co_switch(&other, &root);
        after = limen_counter();
    }
}

static seL4_Word switch_once(void)
{
    limen_co_context_t *from = &root, *to = &other;
    /* The addresses are in registers before the first read, as in the library. */
    __asm__ volatile ("" : "+r"(from), "+r"(to));
    seL4_Word start = limen_counter();
    limen_co_switch(from, to);
    return after - start;
}

/* Not part of `notified`, which would save what the switch clobbers. */
static __attribute__((noinline)) void measure_switch(void)
{
    samples_start(&samples);
    limen_co_prepare(&other, (uintptr_t)stack, STACK_BYTES, read_and_return);
    limen_co_switch(&root, &other);
    while (samples_add(&samples, switch_once())) {
    }
    samples_print(&samples, "co_switch " SWITCH_CONDITIONS);
}

/* Waits for the answer without the library; the root switches here when it arrives. */
static void wait_by_hand(void)
{
    seL4_Word start;
    do {
        start = limen_counter();
        microkit_notify(ANSWERER);
        limen_co_switch(&other, &root);
    } while (samples_add(&samples, limen_counter() - start));
    phase = IDLE;
    limen_co_switch(&other, &root);
}

static void start_bare(void)
{
    phase = BARE;
    samples_start(&samples);
    limen_co_prepare(&other, (uintptr_t)stack, STACK_BYTES, wait_by_hand);
    limen_co_call(&root, &other);
}
#endif

#if IS_FIRST
static microkit_cothread_semaphore_t semaphore;

static seL4_Word signal_once(void)
{
    seL4_Word start = limen_counter();
    microkit_cothread_semaphore_signal(&semaphore);
    return limen_counter() - start;
}

static seL4_Word wait_once(void)
{
    seL4_Word start = limen_counter();
    microkit_cothread_semaphore_wait(&semaphore);
    return limen_counter() - start;
}

/* Needs the library. */
static void measure_semaphore(void)
{
    bench_check(microkit_cothread_semaphore_init(&semaphore, 0) == co_no_err, "the semaphore was not initialised");
    samples_start(&samples);
    while (samples_add(&samples, signal_once())) {
    }
    samples_print(&samples, "co_semaphore_signal waiters=0");
    samples_start(&samples);
    while (samples_add(&samples, wait_once())) {
    }
    samples_print(&samples, "co_semaphore_wait waiters=0");
}
#endif

static void finish_library(void)
{
    seL4_Word cost = median() - plain_median;
    samples_print(&samples, "co_wait_rt " CONDITIONS);
    samples_print_one("co_wait_cost " CONDITIONS, cost);
#if IS_FIRST
    measure_semaphore();
#endif
    microkit_notify(NEXT);
}

static void wait_through_library(void)
{
    seL4_Word start;
    do {
        start = limen_counter();
        microkit_notify(ANSWERER);
        WAIT(ANSWERER);
    } while (samples_add(&samples, limen_counter() - start));
    finish_library();
}

static void start_library(void)
{
    microkit_cothread_t handle;
    phase = LIBRARY;
    samples_start(&samples);
    co_err_t error = microkit_cothread_init((uintptr_t)controller, STACK_BYTES, stack);
    bench_check(error == co_no_err, "the library does not start");
    microkit_cothread_spawn(wait_through_library, true, &handle, 0);
    microkit_cothread_run();
}

static void start_plain(void)
{
    phase = PLAIN;
    samples_start(&samples);
    before = limen_counter();
    microkit_notify(ANSWERER);
}

#if IS_FIRST
static seL4_Word call_once(seL4_Word *arrived)
{
    seL4_Word start = limen_counter();
    microkit_ppcall(ECHO, microkit_msginfo_new(0, 0));
    seL4_Word end = limen_counter();
    *arrived = microkit_mr_get(0) - start;
    return end - start;
}

static void measure_calls(void)
{
    seL4_Word arrived;
    samples_start(&samples);
    while (samples_add(&samples, call_once(&arrived))) {
    }
    samples_print(&samples, "ppc_rt server=passive words=0 fpu=on passes=32");
    samples_start(&samples);
    do {
        call_once(&arrived);
    } while (samples_add(&samples, arrived));
    samples_print(&samples, "ppc_oneway server=passive words=0 fpu=on passes=32");
}
#endif

static void begin(void)
{
#if IS_FIRST
    measure_calls();
#endif
#if defined(SWITCH_CONDITIONS)
    measure_switch();
#endif
    start_plain();
}

static void finish_plain(void)
{
    plain_median = median();
#if IS_FIRST
    samples_print(&samples, "notify_rt server=active_hi fpu=on passes=32");
#endif
#if defined(BARE_CONDITIONS)
    start_bare();
#else
    start_library();
#endif
}

void init(void)
{
    if (IS_FIRST) {
        begin();
    }
}

void notified(microkit_channel ch)
{
    if (ch == START) {
        begin();
        return;
    }
    switch (phase) {
    case LIBRARY:
        microkit_cothread_recv_ntfn(ch);
        break;
#if defined(BARE_CONDITIONS)
    case BARE:
        limen_co_call(&root, &other);
        if (phase == IDLE) {
            samples_print(&samples, "co_wait_rt " BARE_CONDITIONS);
            start_library();
        }
        break;
#endif
    case PLAIN:
        after = limen_counter();
        if (samples_add(&samples, after - before)) {
            before = limen_counter();
            microkit_notify(ANSWERER);
        } else {
            finish_plain();
        }
        break;
    default:
        bench_check(0, "a notification came twice");
        break;
    }
}

#endif /* BENCH_COTHREADS_CLIENT_H */
