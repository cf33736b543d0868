/* Benchmark 1: a protected call, up to the first instruction of the server's function. */
#include "passes.h"

#define SERVER 1

void init(void)
{
    seL4_Word start;
    do {
        start = limen_counter();
        microkit_ppcall(SERVER, microkit_msginfo_new(0, 0));
    } while (add_pass(microkit_mr_get(0) - start));
    print_result("PPC one way");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
