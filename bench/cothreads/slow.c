/* The slow path: the cothread is enqueued behind the ready ones. */

#define CONDITIONS "path=slow fpu=on"
#define IS_FIRST 0

#include "client.h"
