/* The configuration of the kernel and of its programming interface, as CONFIG_ macros. */
#ifndef LIMEN_AUTOCONF_H
#define LIMEN_AUTOCONF_H

#include <kernel/gen_config.h>
#include <sel4/gen_config.h>

#endif /* LIMEN_AUTOCONF_H */
