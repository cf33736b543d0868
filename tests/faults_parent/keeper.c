/* A parent with an event loop: starts its child when told to, and handles its faults as told. */

#include "instructions.h"
#include "keeper.h"

/* Memory shared with the child and the tester; set by the tool. */
seL4_Word orders;

static struct keeping *keeping(void)
{
    return (struct keeping *)orders;
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    if (ch == KEEPER_START) {
        microkit_pd_restart(KEPT, keeping()->orders.again);
    } else if (ch == KEEPER_CRASH) {
        __asm__ volatile (UNDEFINED_INSTRUCTION);
    }
}

static seL4_Bool skip(microkit_msginfo *answer)
{
    microkit_mr_set(seL4_UserException_FaultIP, microkit_mr_get(seL4_UserException_FaultIP) + 4);
    *answer = microkit_msginfo_new(0, 1);
    return seL4_True;
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    keeping()->faults++;
    keeping()->last_child = child;
    keeping()->last_label = microkit_msginfo_get_label(message);
    if (keeping()->policy == SKIP) {
        return skip(answer);
    }
    if (keeping()->policy == RESTART) {
        keeping()->orders.order = IDLE;
        microkit_pd_restart(child, keeping()->orders.again);
    }
    return seL4_False;
}
