/* Writes two more. */

#define CLIENT "2"

#include "client.h"

static void work(void)
{
    append("and a cothread waits there without a fuss ");
    append("until it is let in by a signal now.");
}
