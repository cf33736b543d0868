/* Cothreads: blocking code inside a protection domain.
 *
 * A protection domain has one thread that handles events. With this library that thread, the root, runs several
 * cothreads in turn, each on its own stack. A cothread may wait for a notification, another cothread or a semaphore.
 * While it waits, the others run; when none is ready, the root returns to the event loop.
 * The rules, with a picture, are in docs/cothreads.md.
 *
 * The program supplies libmicrokitco_opts.h with the number of cothreads and the choice between two interfaces;
 * cothread/options.h lists the options. */
#ifndef LIBMICROKITCO_H
#define LIBMICROKITCO_H

#include "cothread/options.h"
#include "cothread/errors.h"
#include "cothread/types.h"
#include "cothread/core.h"
#include "cothread/semaphore.h"
#include "cothread/wait.h"
#include "cothread/message.h"

#if LIBMICROKITCO_API == 1
#include "cothread/seed.h"
#else
#include "cothread/later.h"
#endif

#endif /* LIBMICROKITCO_H */
