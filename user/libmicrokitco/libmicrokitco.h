/* Cothreads: blocking code inside a protection domain.
 *
 * A protection domain reacts to events and has one thread. With this library that thread, the root, runs several
 * cothreads in turn, each on a stack of its own, and a cothread may wait: for a notification, for another cothread,
 * for a semaphore. While it waits the others run, and when nobody can run the root goes back to the event loop.
 * The rules, with a picture, are in docs/cothreads.md.
 *
 * The program supplies libmicrokitco_opts.h, which says how many cothreads there are and which of two interfaces it is
 * written for: cothread/options.h lists what may stand in it. */
#ifndef LIBMICROKITCO_H
#define LIBMICROKITCO_H

#include "cothread/options.h"
#include "cothread/errors.h"
#include "cothread/types.h"
#include "cothread/core.h"
#include "cothread/message.h"

#if LIBMICROKITCO_API == 1
#include "cothread/seed.h"
#else
#include "cothread/later.h"
#endif

#endif /* LIBMICROKITCO_H */
