/* Reads the text of the other clients. */

#define CLIENT "3"

#include "client.h"

static void work(void)
{
    uint32_t length = call_server(READ, "read", "");
    volatile struct request *request = (volatile struct request *)ipc;
    say("done, data is: ");
    for (uint32_t i = 0; i < length && i < DATA_BYTES; i++) {
        microkit_dbg_putc(request->data[i]);
    }
    say("\nLIMEN|DONE\n");
}
