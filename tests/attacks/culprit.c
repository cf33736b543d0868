/* The program that executes the attacks: it reports its addresses, and its parent then redirects it. */

#include "places.h"

#define PARENT 0

static const volatile seL4_Word constant = 1;
static volatile seL4_Word variable = 1;
static volatile seL4_Word zero;

void init(void)
{
    struct places *places = (struct places *)PLACES;
    seL4_Word on_stack;
    places->text = (seL4_Word)&init;
    places->constants = (seL4_Word)&constant;
    places->variables = (seL4_Word)&variable;
    places->zeroes = (seL4_Word)&zero;
    places->stack = (seL4_Word)&on_stack;
    places->message_buffer = (seL4_Word)seL4_GetIPCBuffer();
    microkit_notify(PARENT);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
