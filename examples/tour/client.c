/* Leads the tour: calls both servers, then wakes the parent and waits until it is done. */

#include <microkit.h>

#include "say.h"

#define ADDER 1
#define SORTER 2
#define PARENT 3

#define COUNT 5

/* Shared with the sorter. The tool sets the address. */
unsigned long *numbers;

/* Arguments and results of a protected call travel in message words. */
static void visit_adder(void)
{
    say("I call the adder, which runs on its own time, with 19 and 23.");
    microkit_mr_set(0, 19);
    microkit_mr_set(1, 23);
    microkit_ppcall(ADDER, microkit_msginfo_new(0, 2));
    say_number("the adder answered ", microkit_mr_get(0), ".");
}

/* Larger data goes through shared memory. */
static void visit_sorter(void)
{
    static const unsigned long unsorted[COUNT] = { 5, 3, 4, 1, 2 };
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = unsorted[i];
    }
    say("I call the sorter, which runs on my time, to sort 5 3 4 1 2 in shared memory.");
    microkit_mr_set(0, COUNT);
    microkit_ppcall(SORTER, microkit_msginfo_new(0, 1));
    for (int i = 0; i < COUNT; i++) {
        say_number("next comes ", numbers[i], ".");
    }
}

void init(void)
{
    say("welcome to the tour.");
    visit_adder();
    visit_sorter();
    say("I notify the parent and wait for its notification.");
    microkit_notify(PARENT);
}

void notified(microkit_channel ch)
{
    if (ch == PARENT) {
        say("the parent notified me: the tour is over.");
        say_plainly("LIMEN|DONE");
    }
}
