/* Calls its servers in turn, and is notified by all of them.
 *
 * growth_rotation: between the two reads lies one microkit_ppcall without words, to another of so many servers each time.
 *
 * growth_fan_out: between the two reads lie so many notifications, each to another server, which runs at once and answers
 * with a notification: two signals, a receive and two changes of thread each.
 *
 * growth_fan_in: so many answers are pending. The first read is the last operation of an entry point, the second the first
 * operation of the call of `notified` for the last of them: one receive, and as many passes of the event loop. */

#include "samples.h"

static struct samples out, in;

/* Notifications of the current round, and those not yet received. */
static seL4_Word width = 1, pending;
static seL4_Word before;
static seL4_Word received[64];

/* Channel 30 leads to the serial port. */
static microkit_channel channel_of(seL4_Word server)
{
    return (microkit_channel)(server < 30 ? server : server + 1);
}

static seL4_Word call(seL4_Word server)
{
    microkit_channel channel = channel_of(server);
    microkit_msginfo request = microkit_msginfo_new(server + 1, 0);
    seL4_Word start = limen_counter();
    microkit_msginfo answer = microkit_ppcall(channel, request);
    seL4_Word end = limen_counter();
    bench_check(microkit_msginfo_get_label(answer) == server + 1, "a call brought back something else");
    return end - start;
}

static void measure_rotation(const char *row, seL4_Word servers)
{
    static struct samples samples;
    samples_start(&samples);
    for (seL4_Word server = 0; samples_add(&samples, call(server)); server = (server + 1) % servers) {
    }
    samples_print(&samples, row);
}

/* Must be the last operation of an entry point. */
static void start_round(void)
{
    pending = width;
    seL4_Word start = limen_counter();
    for (seL4_Word server = 0; server < width; server++) {
        microkit_notify(channel_of(server));
    }
    samples_add(&out, limen_counter() - start);
    before = limen_counter();
}

static void start_measurement(seL4_Word notifications)
{
    width = notifications;
    samples_start(&out);
    samples_start(&in);
    start_round();
}

void init(void)
{
    measure_rotation("growth_rotation servers=1", 1);
    measure_rotation("growth_rotation servers=61", OTHERS);
    start_measurement(1);
}

/* Each server of a round has answered as often as the others. */
static void check_round(void)
{
    for (seL4_Word server = 0; server < width; server++) {
        bench_check(received[channel_of(server)] == in.rounds, "a notification was lost or came twice");
    }
}

static void print_and_go_on(void)
{
    if (width == 1) {
        samples_print(&out, "growth_fan_out notifications=1");
        samples_print(&in, "growth_fan_in notifications=1");
        received[0] = 0;
        start_measurement(OTHERS);
        return;
    }
    samples_print(&out, "growth_fan_out notifications=61");
    samples_print(&in, "growth_fan_in notifications=61");
    bench_done();
}

void notified(microkit_channel ch)
{
    seL4_Word after = limen_counter();
    received[ch]++;
    if (--pending) {
        return;
    }
    int wanted = samples_add(&in, after - before);
    check_round();
    if (wanted) {
        start_round();
    } else {
        print_and_go_on();
    }
}
