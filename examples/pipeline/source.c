/* Makes the lines that a network of sensors would send: some of them damaged, some with a wrong value. */

#include "ring.h"

#define NEXT 1

#define LINES 16384
/* One line of this many has a bit that flipped. */
#define DAMAGE_EVERY 37
/* One line of this many has a value that no sensor can measure. */
#define SPIKE_EVERY 61
#define SPIKE 9999

/* Set by the tool. */
struct ring *output_ring;
const struct side *output_taken;

static struct ring_end output;
static struct ledger ledger;
static seL4_Uint32 noise = 1;

/* The same numbers in every run: a shift register (xorshift32). */
static seL4_Uint32 next_noise(void)
{
    noise ^= noise << 13;
    noise ^= noise >> 17;
    noise ^= noise << 5;
    return noise;
}

/* Rises and falls slowly, with some noise on it. */
static unsigned value_at(unsigned sensor, unsigned time)
{
    unsigned phase = time % 512;
    unsigned wave = phase < 256 ? phase : 511 - phase;
    return 2000 + 10 * sensor + wave + next_noise() % 64;
}

static void put_number(char *at, unsigned digits, unsigned number)
{
    while (digits--) {
        at[digits] = (char)('0' + number % 10);
        number /= 10;
    }
}

static void make_line(char *line)
{
    static const char hex[] = "0123456789abcdef";
    unsigned sensor = ledger.lines % SENSORS;
    unsigned time = ledger.lines / SENSORS;
    unsigned value = value_at(sensor, time);
    ledger.lines++;
    int is_spike = ledger.lines % SPIKE_EVERY == 0;
    int is_damaged = ledger.lines % DAMAGE_EVERY == 0;

    for (int i = 0; i < CHECK_AT; i++) {
        line[i] = ' ';
    }
    put_number(line + SENSOR_AT, SENSOR_DIGITS, sensor);
    put_number(line + TIME_AT, TIME_DIGITS, time);
    put_number(line + VALUE_AT, VALUE_DIGITS, is_spike ? SPIKE : value);
    unsigned check = 0;
    for (int i = 0; i < CHECK_AT; i++) {
        check ^= (unsigned char)line[i];
    }
    line[CHECK_AT] = hex[check / 16];
    line[CHECK_AT + 1] = hex[check % 16];
    line[NEWLINE_AT] = '\n';

    if (is_damaged) {
        seL4_Uint32 where = next_noise();
        line[where / 8 % NEWLINE_AT] ^= (char)(1 << where % 8);
    }
    ledger.damaged += is_damaged;
    ledger.spikes += is_spike && !is_damaged;
}

/* Goes on until the ring is full or all lines are made. */
static void work(void)
{
    struct batch *to;
    while (ledger.lines < LINES && (to = ring_room(&output))) {
        for (to->count = 0; to->count < BATCH_ENTRIES && ledger.lines < LINES; to->count++) {
            make_line(to->lines[to->count]);
        }
        to->is_last = ledger.lines == LINES;
        ledger.forward[SOURCE] = output.notifications;
        to->ledger = ledger;
        ring_put(&output);
    }
}

void init(void)
{
    output = ring_producer(output_ring, output_taken, NEXT);
    work();
}

/* The parser has made room. */
void notified(microkit_channel ch)
{
    (void)ch;
    work();
}
