#define NAME "wait slow"
#include "wait_library.h"
