/* GNU Pth's user-space contexts. */

#include <pth.h>
#include "compare.h"

static pth_uctx_t here;
static pth_uctx_t there;

static void bounce(void *unused)
{
    (void)unused;
    for (;;) {
        pth_uctx_switch(there, here);
    }
}

void pth_contexts(long count)
{
    pth_uctx_create(&here);
    pth_uctx_create(&there);
    pth_uctx_make(there, NULL, COMPARE_STACK_BYTES, NULL, bounce, NULL, NULL);
    for (long i = 0; i < count; i += 2) {
        pth_uctx_switch(here, there);
    }
    pth_uctx_destroy(there);
    pth_uctx_destroy(here);
}
