/* The library for programs that use the later interface.
 *
 * The options of such programs do not select it, because the later library had no other interface. The folder selects it:
 * such programs find this header through LIBMICROKITCO_PATH. */
#ifndef LIBMICROKITCO_LATER_H
#define LIBMICROKITCO_LATER_H

#define LIMEN_CO_DEFAULT_API 2
#include "../libmicrokitco.h"

#endif /* LIBMICROKITCO_LATER_H */
