/* Checks that the passenger runs, and that its own slots still come. */

#include <microkit.h>

/* Set by the tool. */
seL4_Word turns;

/* Waits until the passenger's count advances, which happens only in the slots of the passenger's domain. */
static void wait_for_a_turn_of_the_passenger(void)
{
    seL4_Word before = *(volatile seL4_Word *)turns;
    while (*(volatile seL4_Word *)turns == before) {
    }
}

void init(void)
{
    microkit_dbg_puts("pilot: I fly\n");
    for (int turn = 0; turn < 3; turn++) {
        wait_for_a_turn_of_the_passenger();
        microkit_dbg_puts("pilot: the passenger has had a turn, and I still fly\n");
    }
    microkit_dbg_puts("LIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
