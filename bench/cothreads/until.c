/* The fast path of a wait with a deadline, which does not pass. */

#define CONDITIONS "path=until fpu=on"
#define WAIT(ch) microkit_cothread_wait_on_channel_until(ch, 1000000)
#define IS_FIRST 0

#include "client.h"
