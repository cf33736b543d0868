/* Turns lines into readings, and drops lines that are damaged. */

#include "ring.h"

#define PREVIOUS 0
#define NEXT 1

/* Set by the tool. */
struct ring *input_ring;
struct side *input_taken;
struct ring *output_ring;
const struct side *output_taken;

static struct ring_end input;
static struct ring_end output;
static seL4_Uint32 dropped;

static int digit(char character)
{
    return character >= '0' && character <= '9' ? character - '0' : -1;
}

static int hex_digit(char character)
{
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : digit(character);
}

/* Returns whether there are only digits. */
static int parse_number(const char *at, unsigned digits, unsigned *number)
{
    *number = 0;
    for (unsigned i = 0; i < digits; i++) {
        int next = digit(at[i]);
        if (next < 0) {
            return 0;
        }
        *number = *number * 10 + (unsigned)next;
    }
    return 1;
}

/* Returns whether the line is as the source has made it. */
static int parse(const char *line, struct reading *reading)
{
    unsigned check = 0;
    for (int i = 0; i < CHECK_AT; i++) {
        check ^= (unsigned char)line[i];
    }
    int high = hex_digit(line[CHECK_AT]);
    int low = hex_digit(line[CHECK_AT + 1]);
    if (high < 0 || low < 0 || (unsigned)(high * 16 + low) != check) {
        return 0;
    }
    unsigned sensor, time, value;
    if (!parse_number(line + SENSOR_AT, SENSOR_DIGITS, &sensor) || !parse_number(line + TIME_AT, TIME_DIGITS, &time)
        || !parse_number(line + VALUE_AT, VALUE_DIGITS, &value)) {
        return 0;
    }
    *reading = (struct reading) { .time = time, .sensor = (seL4_Uint16)sensor, .value = (seL4_Uint16)value };
    return 1;
}

static void parse_batch(const struct batch *from, struct batch *to)
{
    unsigned lines = batch_count(from);
    unsigned readings = 0;
    for (unsigned i = 0; i < lines; i++) {
        readings += (unsigned)parse(from->lines[i], &to->readings[readings]);
    }
    dropped += lines - readings;
    to->count = readings;
    to->is_last = from->is_last;
    to->ledger = from->ledger;
    to->ledger.dropped = dropped;
    to->ledger.forward[PARSER] = output.notifications;
    to->ledger.back[PARSER] = input.notifications;
}

/* Goes on until one ring is empty or the other one is full. */
static void work(void)
{
    const struct batch *from;
    struct batch *to;
    while ((from = ring_next(&input)) && (to = ring_room(&output))) {
        parse_batch(from, to);
        ring_take(&input);
        ring_put(&output);
    }
}

void init(void)
{
    input = ring_consumer(input_ring, input_taken, PREVIOUS);
    output = ring_producer(output_ring, output_taken, NEXT);
    work();
}

/* The source has put a batch in, or the filter has made room. */
void notified(microkit_channel ch)
{
    (void)ch;
    work();
}
