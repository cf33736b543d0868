/* Uses programs on other processors.
 *
 * elsewhere_signal: microkit_notify until it returns, to a program that waits on another processor. With interrupt=0, that
 * processor has been interrupted before and has not looked yet.
 *
 * elsewhere_notify, elsewhere_call: a notification that is answered by one; a protected call. The other program reads the
 * counter first of all in `notified` and `protected`, which ends the part `receive`.
 *
 * elsewhere_stop, elsewhere_resume: microkit_pd_stop and microkit_pd_resume of a child.
 *
 * The harness divides rows with part=together into the parts on each processor. */

#include "samples.h"

#define CHILD 0
#define ANSWERER 1
#define SECOND 2
#define ACTIVE 3
#define PASSIVE 4
#define THROWER 5

static struct samples samples;

static void receive(seL4_Word expected)
{
    for (seL4_Word seen = 0; seen != expected;) {
        seL4_Word channels;
        seL4_Wait(LIMEN_INPUT_CAP, &channels);
        seen |= channels;
        bench_check(!(seen & ~expected), "another program woke the client");
    }
}

static seL4_Word signal_first(void)
{
    seL4_Word before = limen_counter();
    microkit_notify(ANSWERER);
    seL4_Word after = limen_counter();
    receive(1ul << ANSWERER);
    return after - before;
}

static seL4_Word signal_second(void)
{
    microkit_notify(ANSWERER);
    seL4_Word before = limen_counter();
    microkit_notify(SECOND);
    seL4_Word after = limen_counter();
    receive(1ul << ANSWERER | 1ul << SECOND);
    return after - before;
}

static seL4_Word notify(void)
{
    seL4_Word before = limen_counter();
    microkit_notify(ANSWERER);
    receive(1ul << ANSWERER);
    seL4_Word after = limen_counter();
    return after - before;
}

static seL4_Word call(microkit_channel server)
{
    static seL4_Word serial;
    microkit_msginfo request = microkit_msginfo_new(++serial, 0);
    seL4_Word before = limen_counter();
    microkit_msginfo answer = microkit_ppcall(server, request);
    seL4_Word after = limen_counter();
    bench_check(microkit_msginfo_get_label(answer) == serial + 1, "a call brought back a wrong answer");
    return after - before;
}

static seL4_Word call_active(void)
{
    return call(ACTIVE);
}

static seL4_Word call_passive(void)
{
    return call(PASSIVE);
}

static seL4_Word stop(void)
{
    microkit_pd_resume(CHILD);
    seL4_Word before = limen_counter();
    microkit_pd_stop(CHILD);
    return limen_counter() - before;
}

static seL4_Word resume(void)
{
    microkit_pd_stop(CHILD);
    seL4_Word before = limen_counter();
    microkit_pd_resume(CHILD);
    return limen_counter() - before;
}

static void measure(seL4_Word (*sample)(void), const char *row)
{
    samples_start(&samples);
    while (samples_add(&samples, sample())) {
    }
    samples_print(&samples, row);
}

void init(void)
{
    measure(signal_first, "elsewhere_signal interrupt=1" ROW_FPU);
    measure(signal_second, "elsewhere_signal interrupt=0" ROW_FPU);
    measure(notify, "elsewhere_notify part=together" ROW_FPU);
    measure(call_active, "elsewhere_call server=active part=together" ROW_FPU);
    measure(call_passive, "elsewhere_call server=passive part=together" ROW_FPU);
    measure(stop, "elsewhere_stop part=together" ROW_FPU);
    measure(resume, "elsewhere_resume part=together" ROW_FPU);
    microkit_notify(THROWER);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
