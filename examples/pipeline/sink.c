/* Checks what arrives, and prints the result. No other program prints, so lines of two processors do not mix. */

#include "port.h"
#include "ring.h"
#include "say.h"

#define PREVIOUS 0

/* No sensor measures more than this: a larger value is a spike that the filter has missed. */
#define HIGHEST 3000

/* Set by the tool. */
struct ring *input_ring;
struct side *input_taken;

static struct ring_end input;

/* From the description, in the order of the pipeline. */
static const struct {
    const char *name;
    seL4_Word processor;
} placements[] = {
#include "placements.inc"
};
_Static_assert(sizeof placements / sizeof placements[0] == STAGES, "one line per program");

static seL4_Uint32 readings;
static seL4_Uint32 spikes;
static seL4_Uint32 disordered;
/* The time from which on each sensor's next reading must be. */
static seL4_Uint32 next_times[SENSORS];

/* A digest of all readings in their order (FNV-1a). */
static seL4_Uint32 digest = 2166136261u;

static void digest_number(seL4_Uint32 number)
{
    for (int shift = 0; shift < 32; shift += 8) {
        digest = (digest ^ (number >> shift & 0xff)) * 16777619u;
    }
}

static void check_batch(const struct batch *from)
{
    unsigned count = batch_count(from);
    for (unsigned i = 0; i < count; i++) {
        struct reading reading = from->readings[i];
        seL4_Uint32 *next_time = &next_times[reading.sensor % SENSORS];
        disordered += reading.time < *next_time;
        *next_time = reading.time + 1;
        spikes += reading.value > HIGHEST;
        digest_number(reading.sensor);
        digest_number(reading.time);
        digest_number(reading.value);
    }
    readings += count;
}

static void say_hex(seL4_Uint32 number)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        char digit[] = { "0123456789abcdef"[number >> shift & 0xf], '\0' };
        say(digit);
    }
}

static void say_counted(const char *before, seL4_Word number, const char *after)
{
    say(before);
    say_number(number, 0);
    say(after);
}

/* Returns a sentence about the first error, or null. */
static const char *complaint(const struct ledger *ledger)
{
    if (ledger->dropped != ledger->damaged) {
        return "the parser dropped other lines than the damaged ones";
    }
    if (readings + ledger->dropped != ledger->lines) {
        return "readings were lost or came twice";
    }
    if (disordered) {
        return "readings came in the wrong order";
    }
    if (spikes || ledger->replaced != ledger->spikes) {
        return "the filter replaced other values than the spikes";
    }
    return 0;
}

static void print(const struct ledger *ledger)
{
    say_counted("sink: ", ledger->lines, " lines were sent, ");
    say_counted("", ledger->dropped, " damaged ones dropped, ");
    say_counted("", ledger->replaced, " spikes replaced\n");
    say_counted("sink: ", readings, " readings arrived in order, digest ");
    say_hex(digest);
    say_counted("\nsink: ", input.count, " batches passed each ring\n");

    say("\nprogram   processor   notifications to the next   to the previous\n");
    for (enum stage stage = SOURCE; stage < STAGES; stage++) {
        say_left(placements[stage].name, 10);
        say_number(placements[stage].processor, 9);
        say_number(ledger->forward[stage], 28);
        say_number(ledger->back[stage], 18);
        say("\n");
    }
    say("\n");
}

static void finish(struct ledger ledger)
{
    ledger.back[SINK] = input.notifications;
    /* The kernel and the monitor have printed what they print at the start, so the port may be initialised now. */
    say_start();
    print(&ledger);
    const char *wrong = complaint(&ledger);
    say(wrong ? "LIMEN|FAIL " : "LIMEN|DONE");
    say(wrong ? wrong : "");
    say("\n");
}

/* Goes on until the ring is empty. */
static void work(void)
{
    const struct batch *from;
    while ((from = ring_next(&input))) {
        check_batch(from);
        int is_last = from->is_last != 0;
        struct ledger ledger = from->ledger;
        ring_take(&input);
        if (is_last) {
            finish(ledger);
        }
    }
}

void init(void)
{
    input = ring_consumer(input_ring, input_taken, PREVIOUS);
    work();
}

/* The filter has put a batch in. */
void notified(microkit_channel ch)
{
    (void)ch;
    work();
}
