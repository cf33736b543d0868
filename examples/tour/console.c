/* The driver of the serial port: the only program with access to it. Other programs call it to print a line.
 *
 * It does not trust its callers: a caller passes the length of its line, and the console never reads past that caller's
 * page. */

#include "port.h"
#include <microkit.h>

#define PAGE_BYTES 0x1000

/* Addresses, set by the tool (setvar_vaddr). */
char *uart;
char *texts;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Message word 0: the length of the line, which is in the caller's page. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)msginfo;
    const char *line = texts + ch * PAGE_BYTES;
    unsigned long length = microkit_mr_get(0);
    for (unsigned long i = 0; i < length && i < PAGE_BYTES; i++) {
        port_put(uart, line[i]);
    }
    port_put(uart, '\r');
    port_put(uart, '\n');
    return microkit_msginfo_new(0, 0);
}
