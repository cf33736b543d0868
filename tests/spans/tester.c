/* Nests spans and sets a counter three times; `src/main.rs` does the same in Rust. The test `traces` records both. */

#include <limen/trace.h>

#include "helper.h"
#include "test.h"

#define ROUNDS 3

static void spans_that_another_file_ends(void)
{
    for (seL4_Word round = 0; round < ROUNDS; round++) {
        limen_trace_begin("outer", round);
        limen_trace_counter("items", 10 * round);
        begin_inner(round);
        limen_trace_end("inner", round);
        end_outer(round);
    }
}

void init(void)
{
    RUN(spans_that_another_file_ends);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
