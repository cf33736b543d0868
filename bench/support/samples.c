#include "samples.h"
#include "print.h"
#include "text.h"

/* The cost of two consecutive reads. */
static seL4_Word overhead;

static seL4_Word back_to_back(void)
{
    seL4_Word before = limen_counter();
    seL4_Word after = limen_counter();
    return after - before;
}

/* The smallest of many pairs: a larger one was interrupted. */
static void measure_overhead(void)
{
    overhead = back_to_back();
    for (int i = 0; i < 100; i++) {
        seL4_Word pair = back_to_back();
        overhead = pair < overhead ? pair : overhead;
    }
}

void samples_start(struct samples *samples)
{
    samples->rounds = 0;
    for (seL4_Word i = 0; i < SAMPLES; i++) {
        samples->values[i] = i + 1;
    }
    measure_overhead();
}

/* Shell sort. */
static void sort(seL4_Word *values, seL4_Word count)
{
    for (seL4_Word gap = count / 2; gap; gap /= 2) {
        for (seL4_Word i = gap; i < count; i++) {
            seL4_Word value = values[i];
            seL4_Word place = i;
            for (; place >= gap && values[place - gap] > value; place -= gap) {
                values[place] = values[place - gap];
            }
            values[place] = value;
        }
    }
}

static seL4_Word square_root(seL4_Word number)
{
    seL4_Word root = 0;
    for (seL4_Word bit = 1ul << 31; bit; bit >>= 1) {
        if ((root + bit) * (root + bit) <= number) {
            root += bit;
        }
    }
    return root;
}

static seL4_Word mean_in_hundredths(const seL4_Word *values, seL4_Word count)
{
    seL4_Word sum = 0;
    for (seL4_Word i = 0; i < count; i++) {
        sum += values[i];
    }
    return 100 * sum / count;
}

static seL4_Word deviation_in_hundredths(const seL4_Word *values, seL4_Word count, seL4_Word mean)
{
    seL4_Word squares = 0;
    for (seL4_Word i = 0; i < count; i++) {
        seL4_Word distance = 100 * values[i] > mean ? 100 * values[i] - mean : mean - 100 * values[i];
        squares += distance * distance;
    }
    return square_root(squares / count);
}

static void add_field(struct text *line, const char *key, seL4_Word value)
{
    text_add(line, key);
    text_add_decimal(line, value);
}

static void print_statistics(const char *row, const seL4_Word *values, seL4_Word count, const char *end)
{
    struct text line = TEXT_EMPTY;
    seL4_Word mean = mean_in_hundredths(values, count);
    text_add(&line, "ROW name=");
    text_add(&line, row);
    add_field(&line, " n=", count);
    add_field(&line, " min=", values[0]);
    add_field(&line, " median=", values[count / 2]);
    add_field(&line, " p99=", values[count * 99 / 100]);
    add_field(&line, " max=", values[count - 1]);
    text_add(&line, " mean=");
    text_add_hundredths(&line, mean);
    text_add(&line, " stddev=");
    text_add_hundredths(&line, deviation_in_hundredths(values, count, mean));
    text_add(&line, end);
    print(text_terminated(&line));
}

static void print_value(const char *before, seL4_Word value, seL4_Word count)
{
    struct text pair = TEXT_EMPTY;
    add_field(&pair, before, value);
    add_field(&pair, ":", count);
    print(text_terminated(&pair));
}

static void print_distribution(const seL4_Word *values, seL4_Word count)
{
    const char *before = " distribution=";
    for (seL4_Word first = 0, next = 0; first < count; first = next) {
        while (next < count && values[next] == values[first]) {
            next++;
        }
        print_value(before, values[first], next - first);
        before = ",";
    }
}

static void subtract_overhead(struct samples *samples)
{
    for (seL4_Word i = 0; i < SAMPLES; i++) {
        samples->values[i] -= overhead;
    }
}

void samples_print_distribution(struct samples *samples, const char *row)
{
    bench_check(samples->rounds >= ROUNDS, "a row lacks samples");
    sort(samples->values, SAMPLES);
    print_statistics(row, samples->values, SAMPLES, "");
    print_distribution(samples->values, SAMPLES);
    print("\n");
}

void samples_print_swept(struct samples *samples, const char *row)
{
    subtract_overhead(samples);
    samples_print_distribution(samples, row);
}

static void print_first(const struct samples *samples, const char *row)
{
#if defined(IN_CYCLES)
    struct text title = TEXT_EMPTY;
    text_add(&title, row);
    text_add(&title, " sample=first");
    samples_print_one(text_terminated(&title), samples->first - overhead);
#else
    (void)samples;
    (void)row;
#endif
}

void samples_print(struct samples *samples, const char *row)
{
    bench_check(samples->rounds >= ROUNDS, "a row lacks samples");
    subtract_overhead(samples);
    sort(samples->values, SAMPLES);
    print_statistics(row, samples->values, SAMPLES, "\n");
    print_first(samples, row);
}

void samples_print_one(const char *row, seL4_Word value)
{
    print_statistics(row, &value, 1, "\n");
}

void samples_print_overhead(void)
{
    static struct samples samples;
    samples_start(&samples);
    while (samples_add(&samples, back_to_back())) {
    }
    overhead = 0;
    samples_print(&samples, "read" ROW_FPU);
}

void bench_done(void)
{
    print("LIMEN|DONE\n");
}

void bench_check(int holds, const char *what)
{
    if (holds) {
        return;
    }
    struct text line = TEXT_EMPTY;
    text_add(&line, "LIMEN|FAIL ");
    text_add(&line, what);
    text_add(&line, "\n");
    print(text_terminated(&line));
}
