/* Prints digests of the running code, and resets and restarts its child after a fault. */

#include "measure.h"

/* Digests and a reset, by their ids in the description. */
#define KERNEL_DIGEST 0
#define PARSER_DIGEST 1
#define SETTINGS_DIGEST 2
#define PARSER_RESET 3

#define PARSER 7
#define PARSER_CHANNEL 0
#define PASS_CHANNEL 1
#define CHANGE_CHANNEL 2

/* The entry point of every program is the first byte of its image. */
#define ENTRY_POINT 0x200000

static limen_digest_t parser_at_start;

static limen_digest_t report(const char *what, seL4_Word id)
{
    limen_digest_t digest = measure(id);
    microkit_dbg_puts(what);
    print_digest(&digest);
    microkit_dbg_putc('\n');
    return digest;
}

void init(void)
{
    microkit_dbg_puts("keeper: what is in memory at the start\n");
    report("  kernel   ", KERNEL_DIGEST);
    parser_at_start = report("  parser   ", PARSER_DIGEST);
    report("  settings ", SETTINGS_DIGEST);
}

static void look_at_parser_again(void)
{
    limen_digest_t now = measure(PARSER_DIGEST);
    microkit_dbg_puts(is_equal(&now, &parser_at_start) ? "keeper: the parser's code is what it was at the start\n"
                                                       : "keeper: the parser's code has changed, too\n");
}

void notified(microkit_channel ch)
{
    if (ch == PASS_CHANNEL) {
        /* Send the next line. The parser has a lower priority and handles it when the keeper waits again. */
        microkit_notify(PARSER_CHANNEL);
    } else if (ch == CHANGE_CHANNEL) {
        look_at_parser_again();
        microkit_dbg_puts("LIMEN|DONE\n");
    }
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    (void)msginfo;
    (void)reply_msginfo;
    microkit_dbg_puts("keeper: the parser has faulted\n");
    microkit_pd_stop(child);
    if (limen_reset(PARSER_RESET) != seL4_NoError) {
        microkit_dbg_puts("keeper: the parser cannot be reset\n");
        return seL4_False;
    }
    microkit_dbg_puts("keeper: its data and stack are as at the start; it starts again\n");
    microkit_pd_restart(child, ENTRY_POINT);
    return seL4_False;
}
