/* Calls the server, which does not receive, with the longest message. */

#include "figures.h"
#include "user.h"

void init(void)
{
    limen_words_t words = { SENT, 2, 3, 4 };
    use_fpu();
    for (;;) {
        limen_trap_call(BASE_ENDPOINT_CAP, longest(0, LIMEN_INPUT_CAP), words);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
