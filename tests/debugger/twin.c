/* Runs twice, at the same addresses: a breakpoint in one instance must not stop the other. */

#include <microkit.h>

#define TESTER 1
#define VISITS 3

/* The first letter of the instance's name. */
char name;
volatile int visits;

__attribute__((noinline)) static void visit(int number)
{
    visits = number;
}

void init(void)
{
    name = microkit_name[0];
    for (int number = 1; number <= VISITS; number++) {
        visit(number);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    microkit_mr_set(0, (seL4_Word)visits);
    return microkit_msginfo_new(0, 1);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
