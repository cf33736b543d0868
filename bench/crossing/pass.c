#include "pass.h"

__attribute__((noinline)) void pass_through(struct pass *pass, void (*cross)(limen_crossing_t *crossing))
{
    pass->before = limen_counter();
    cross(&pass->crossing);
    pass->after = limen_counter();
}

static seL4_Word smaller(seL4_Word one, seL4_Word other)
{
    return one < other ? one : other;
}

struct overhead measured_overhead(void)
{
    struct overhead overhead = { ~0ul, ~0ul, ~0ul };
    struct pass pass = { 0 };
    for (int i = 0; i < 100; i++) {
        pass_through(&pass, limen_cross_nothing);
        overhead.in = smaller(overhead.in, pass.crossing.exit - pass.crossing.user);
        overhead.out = smaller(overhead.out, pass.crossing.after - pass.crossing.exit);
        overhead.outside = smaller(overhead.outside, pass.after - pass.before);
    }
    return overhead;
}

struct crossed crossed(const struct overhead *overhead, const limen_probe_sample_t *sample,
                       const struct pass *leaving, const struct pass *arriving)
{
    struct crossed crossed = {
        .in = sample->entry - sample->user - overhead->in,
        .out = arriving->crossing.after - arriving->crossing.exit - overhead->out,
        .outside = arriving->after - leaving->before - overhead->outside,
        .around = (sample->user - leaving->before) + (arriving->after - arriving->crossing.after),
        .is_in_order = leaving->before <= sample->user && sample->user <= sample->entry
                       && sample->entry <= arriving->crossing.exit
                       && arriving->crossing.exit <= arriving->crossing.after
                       && arriving->crossing.after <= arriving->after,
    };
    crossed.stamped = crossed.in + (arriving->crossing.exit - sample->entry) + crossed.out;
    return crossed;
}
