/* The fast path with message words of each thread's own, as many as registers carry. */

#define CONDITIONS "path=own_words words=4 fpu=on"
#define IS_FIRST 0

#include "client.h"
