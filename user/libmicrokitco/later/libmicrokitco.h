/* The library for programs that were written for the later interface.
 *
 * Their options do not say so, because the later library knew no other. What says it is the folder: LIBMICROKITCO_PATH, in
 * which such programs look for this header. */
#ifndef LIBMICROKITCO_LATER_H
#define LIBMICROKITCO_LATER_H

#define LIMEN_CO_DEFAULT_API 2
#include "../libmicrokitco.h"

#endif /* LIBMICROKITCO_LATER_H */
