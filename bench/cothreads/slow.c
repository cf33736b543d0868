/* The cothread becomes ready and takes its turn. */

#define NAME "slow"
#define CONDITIONS "path=slow fpu=on"
#define IS_FIRST 0

#include "client.h"
