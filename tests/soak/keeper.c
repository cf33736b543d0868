/* The parent of a walker, on another processor: stops, resumes and restarts it at any time, and handles its faults. */

#include "shared.h"
#include "held.h"
#include "life.h"
#include "own_fpu.h"
#include "random.h"

seL4_Word shared;

#define CHILD 0

#define CONTEXT_WORDS (sizeof(seL4_UserContext) / sizeof(seL4_Word))

/* The child's registers before it did anything. */
static seL4_UserContext first;

static struct keeper *own(void)
{
    return &all()->keepers[own_number()];
}

static struct walker *child(void)
{
    return &all()->walkers[own_number()];
}

static void expect_success(seL4_Error error)
{
    own()->errors += error != seL4_NoError;
}

static void delay(void)
{
    for (volatile seL4_Word times = random_below(3000); times > 0; times--) {
    }
}

static void stop(void)
{
    microkit_pd_stop(CHILD);
    count(&own()->stops);
}

/* Moves a stopped child to its entry, with its first registers. */
static void restart(void)
{
    count(&own()->restarts);
    seL4_UserContext context = first;
    begin_at(&context, load(&child()->entry));
    if (random_below(2)) {
        expect_success(seL4_TCB_WriteRegisters(BASE_TCB_CAP + CHILD, seL4_True, 0, CONTEXT_WORDS, &context));
    } else {
        expect_success(seL4_TCB_WriteRegisters(BASE_TCB_CAP + CHILD, seL4_False, 0, CONTEXT_WORDS, &context));
        microkit_pd_restart(CHILD, load(&child()->entry));
    }
}

static void check_that_it_stands_still(void)
{
    seL4_Word before = load(&child()->heartbeat);
    delay();
    own()->moved += load(&child()->heartbeat) != before;
}

static void read_registers(void)
{
    seL4_UserContext context;
    expect_success(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CHILD, seL4_False, 0, CONTEXT_WORDS, &context));
}

/* The child waits in a loop meanwhile. */
static void prepare(void)
{
    expect_success((seL4_Error)held_set_by_parent(CHILD));
    expect_success(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CHILD, seL4_False, 0, CONTEXT_WORDS, &first));
    store(&own()->is_ready, 1);
}

void init(void)
{
    random_diverge(100 + own_number());
    fpu_write();
}

/* What the child may rely on is written while it is stopped. */
static void disturb(void)
{
    seL4_Word number = load(&child()->pokes);
    delay();
    stop();
    check_that_it_stands_still();
    store(&own()->pokes, number);
    switch (random_below(4)) {
    case 0:
        restart();
        break;
    case 1:
        read_registers();
        microkit_pd_resume(CHILD);
        break;
    default:
        microkit_pd_resume(CHILD);
        break;
    }
}

void notified(microkit_channel channel)
{
    (void)channel;
    own()->wrong_fpu += fpu_differs();
    fpu_write();
    if (load(&own()->is_ready)) {
        disturb();
    } else {
        prepare();
    }
}

seL4_Bool fault(microkit_child id, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)id;
    own()->wrong_fpu += fpu_differs();
    fpu_write();
    count(&own()->reports);
    if (microkit_msginfo_get_label(message) == seL4_Fault_UserException) {
        count(&own()->undefined);
        microkit_mr_set(0, microkit_mr_get(0) + 4);
        *answer = microkit_msginfo_new(0, 1);
        return seL4_True;
    }
    seL4_Word number = load(&child()->faults);
    own()->wrong_reports += microkit_msginfo_get_label(message) != seL4_Fault_VMFault
                            || microkit_mr_get(seL4_VMFault_Addr) != NOWHERE_OF(number);
    if (random_below(2)) {
        /* It faults again. */
        return seL4_True;
    }
    stop();
    store(&own()->faults, number);
    restart();
    return seL4_False;
}
