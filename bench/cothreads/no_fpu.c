/* The fast path, for programs without floating-point registers. */

#define CONDITIONS "path=fast fpu=off"
#define BARE_CONDITIONS "path=bare fpu=off"
#define SWITCH_CONDITIONS "fpu=off"
#define IS_FIRST 0

#include "client.h"
