/* A file that has its own memzero although it includes the header. Types come from microkit.h. */
#ifndef OWN_H
#define OWN_H

#include <microkit.h>

#define OWN_MARK 0xa5

/* Whether there was anything to do. */
bool clear_with_own(uintptr_t start, unsigned long count);

#endif /* OWN_H */
