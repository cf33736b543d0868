#define NAME "wait fast"
#include "wait_library.h"
