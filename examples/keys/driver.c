/* Answers requests. While off, its trace costs one instruction per request. */

#include <limen/static_key.h>
#include <microkit.h>

LIMEN_STATIC_KEY_FALSE(trace);

static seL4_Word requests;

static void print_request(seL4_Word block)
{
    microkit_dbg_puts("  driver: request ");
    microkit_dbg_put32((seL4_Uint32)requests);
    microkit_dbg_puts(" is for block ");
    microkit_dbg_put32((seL4_Uint32)block);
    microkit_dbg_putc('\n');
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    requests++;
    if (limen_static_branch_unlikely(trace)) {
        print_request(microkit_mr_get(0));
    }
    return microkit_msginfo_new(0, 0);
}
