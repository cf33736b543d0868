/* Has no key of the trace: floods the ring with forged records, tries to switch keys, and writes to the ring. */

#include <limen.h>
#include <limen/trace.h>

#include "orders.h"

/* Set by the tool. */
seL4_Word trace;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    /* Names, kinds and threads that it cannot have. */
    for (seL4_Word i = 0; i < FORGED; i++) {
        limen_trace_write(0xffffffff00000000ul | 0x00ff0000ul | i % 256, FORGED_VALUE);
    }
    for (seL4_Word key = 0; key < 32; key++) {
        if (limen_key_enable(key) == seL4_NoError || limen_key_disable(key) == seL4_NoError) {
            limen_trace_write(limen_traced_counter, key);
        }
    }
    *(volatile seL4_Uint64 *)trace = 0;
}
