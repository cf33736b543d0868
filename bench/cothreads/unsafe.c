/* The fast path without the checks that LIBMICROKITCO_UNSAFE leaves out. */

#define CONDITIONS "path=unchecked fpu=on"
#define IS_FIRST 0

#include "client.h"
