/* The same program with branches that cannot be patched: they load their keys. */

#define LIMEN_STATIC_KEY_FALLBACK

#include "branches.c"
