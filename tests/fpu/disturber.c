/* Once it was started, uses the unit all the time that it gets. */

#include "state.h"
#include "turns.h"

/* Memory shared with the tester; set by the tool. */
seL4_Word turns;

static struct state written;
static struct state found;

#define TESTER 0

void init(void)
{
    microkit_notify(TESTER);
}

void notified(microkit_channel ch)
{
    struct turns *shared = (struct turns *)turns;
    (void)ch;
    while (!shared->stop) {
        state_fill(&written);
        state_write(&written);
        state_read(&found);
        shared->wrong += !state_equal(&written, &found);
        shared->looks++;
    }
}
