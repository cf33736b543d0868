/* Grants floating point to a child at its first use, and revokes it when the child has finished: lazy switching with the
 * manager's own policy. */

#include <limen.h>
#include <microkit.h>

#define ARTIST 1
#define CLERK 2
#define DAYS 2

static int day;
static int uses;

static void start_day(void)
{
    microkit_dbg_puts("manager: a new day\n");
    microkit_notify(ARTIST);
    microkit_notify(CLERK);
}

void init(void)
{
    start_day();
}

/* The clerk has a lower priority and runs when the artist has finished. */
void notified(microkit_channel ch)
{
    if (ch == ARTIST) {
        limen_fpu_forbid(ARTIST);
        microkit_dbg_puts("manager: the artist has finished, and gives floating point back\n");
    } else if (++day < DAYS) {
        start_day();
    } else {
        microkit_dbg_puts("manager: times that floating point was asked for: ");
        microkit_dbg_put32((seL4_Uint32)uses);
        microkit_dbg_puts("\nLIMEN|DONE\n");
    }
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    if (!limen_fpu_on_demand(child, msginfo, reply_msginfo)) {
        /* Another fault: the child stays stopped. */
        return seL4_False;
    }
    uses++;
    microkit_dbg_puts(child == ARTIST ? "manager: floating point for the artist\n"
                                      : "manager: floating point for the clerk?\n");
    return seL4_True;
}
