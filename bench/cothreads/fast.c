/* The fast path: a single waiting cothread runs as soon as the notification arrives. */

#define CONDITIONS "path=fast fpu=on"
#define BARE_CONDITIONS "path=bare fpu=on"
#define SWITCH_CONDITIONS "fpu=on"
#define IS_FIRST 1

#include "client.h"
