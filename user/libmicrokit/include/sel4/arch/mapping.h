/* What generators of bindings look for here: page tables, and all other objects that Limen does not have. */
#ifndef SEL4_ARCH_MAPPING_H
#define SEL4_ARCH_MAPPING_H

#include <limen/absent.h>

#endif /* SEL4_ARCH_MAPPING_H */
