/* Uses its own registers: whenever it runs, it checks the values that it wrote last, and writes others. */

#include <microkit.h>
#include "state.h"

static struct state written;
static struct state found;
static seL4_Word wrong;

static void look(void)
{
    state_read(&found);
    wrong += !state_equal(&written, &found);
    state_fill(&written);
    state_write(&written);
}

void init(void)
{
    state_initial(&written);
}

void notified(microkit_channel ch)
{
    (void)ch;
    look();
}

/* Reports how often it found values that were not its own. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    (void)request;
    look();
    microkit_mr_set(0, wrong);
    return microkit_msginfo_new(0, 1);
}
