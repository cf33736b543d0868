/* Replaces values that are far from the median of the sensor's last values. */

#include "ring.h"

#define PREVIOUS 0
#define NEXT 1

#define WINDOW 5
#define FAR 500

/* Set by the tool. */
struct ring *input_ring;
struct side *input_taken;
struct ring *output_ring;
const struct side *output_taken;

static struct ring_end input;
static struct ring_end output;
static seL4_Uint32 replaced;

/* The last values of each sensor, and how many it has had. */
static struct {
    seL4_Uint16 values[WINDOW];
    seL4_Uint32 count;
} histories[SENSORS];

static seL4_Uint16 median(const seL4_Uint16 *values, unsigned count)
{
    seL4_Uint16 sorted[WINDOW];
    for (unsigned end = 0; end < count; end++) {
        unsigned place = end;
        for (; place > 0 && sorted[place - 1] > values[end]; place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = values[end];
    }
    return sorted[count / 2];
}

static seL4_Uint16 filtered(unsigned sensor, seL4_Uint16 value)
{
    seL4_Uint32 count = histories[sensor].count++;
    histories[sensor].values[count % WINDOW] = value;
    seL4_Uint16 middle = median(histories[sensor].values, count < WINDOW ? count + 1 : WINDOW);
    int distance = value < middle ? middle - value : value - middle;
    if (distance <= FAR) {
        return value;
    }
    replaced++;
    return middle;
}

static void filter_batch(const struct batch *from, struct batch *to)
{
    unsigned readings = batch_count(from);
    for (unsigned i = 0; i < readings; i++) {
        struct reading reading = from->readings[i];
        reading.sensor %= SENSORS;
        reading.value = filtered(reading.sensor, reading.value);
        to->readings[i] = reading;
    }
    to->count = readings;
    to->is_last = from->is_last;
    to->ledger = from->ledger;
    to->ledger.replaced = replaced;
    to->ledger.forward[FILTER] = output.notifications;
    to->ledger.back[FILTER] = input.notifications;
}

/* Goes on until one ring is empty or the other one is full. */
static void work(void)
{
    const struct batch *from;
    struct batch *to;
    while ((from = ring_next(&input)) && (to = ring_room(&output))) {
        filter_batch(from, to);
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

/* The parser has put a batch in, or the sink has made room. */
void notified(microkit_channel ch)
{
    (void)ch;
    work();
}
