#pragma once

/* With the root. */
#define LIBMICROKITCO_MAX_COTHREADS 3
