/* Benchmark 2: a protected call and its return. */
#include "passes.h"

#define SERVER 1

void init(void)
{
    seL4_Word start;
    do {
        start = limen_counter();
        microkit_ppcall(SERVER, microkit_msginfo_new(0, 0));
    } while (add_pass(limen_counter() - start));
    print_result("PPC round trip");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
