/* Holds capabilities to two workers, and uses them while the workers wait. */

#include <microkit.h>

#define PAINTER_CHANNEL 0
#define SWEEPER_CHANNEL 1

/* The slots of the description. */
#define OWN_THREAD microkit_cspace_root_slot_to_cptr(1)
#define PAINTER_THREAD microkit_cspace_root_slot_to_cptr(2)
#define SWEEPER_THREAD microkit_cspace_root_slot_to_cptr(3)
#define SWEEPER_TIME microkit_cspace_root_slot_to_cptr(4)

/* Completed rounds, and workers that have finished in the current one. */
static int rounds;
static int finished;

static void start_round(const char *title)
{
    microkit_dbg_puts(title);
    finished = 0;
    microkit_notify(PAINTER_CHANNEL);
    microkit_notify(SWEEPER_CHANNEL);
}

static void expect(seL4_Error error)
{
    if (error != seL4_NoError) {
        microkit_internal_crash(error);
    }
}

void init(void)
{
    start_round("governor: as the description has it\n");
}

/* Runs when both workers wait again. */
static void next_round(void)
{
    switch (rounds) {
    case 1:
        /* A thread may set priorities up to its own. */
        expect(seL4_TCB_SetPriority(SWEEPER_THREAD, OWN_THREAD, 70));
        start_round("governor: the sweeper first\n");
        break;
    case 2:
        expect(seL4_TCB_Suspend(PAINTER_THREAD));
        start_round("governor: the painter has a break\n");
        break;
    default:
        if (seL4_SchedContext_Consumed(SWEEPER_TIME).error == seL4_NoError) {
            microkit_dbg_puts("governor: I know how long the sweeper has worked\n");
        }
        microkit_dbg_puts("LIMEN|DONE\n");
        break;
    }
}

void notified(microkit_channel ch)
{
    if (rounds == 2 && ch == SWEEPER_CHANNEL) {
        microkit_dbg_puts("governor: the painter goes on\n");
        expect(seL4_TCB_Resume(PAINTER_THREAD));
    }
    if (++finished == 2) {
        rounds++;
        next_round();
    }
}
