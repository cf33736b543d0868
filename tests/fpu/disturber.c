/* Uses the unit whenever it runs. */

#include "state.h"
#include "turns.h"

/* Memory shared with the tester; set by the tool. */
seL4_Word turns;

static struct state written;
static struct state found;

void init(void)
{
    struct turns *shared = (struct turns *)turns;
    for (;;) {
        state_fill(&written);
        state_write(&written);
        state_read(&found);
        shared->wrong += !state_equal(&written, &found);
        shared->looks++;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
