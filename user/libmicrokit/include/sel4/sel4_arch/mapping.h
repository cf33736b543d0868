/* The same as <sel4/arch/mapping.h>, under the other name that generators of bindings look for. */
#ifndef SEL4_SEL4_ARCH_MAPPING_H
#define SEL4_SEL4_ARCH_MAPPING_H

#include <sel4/arch/mapping.h>

#endif /* SEL4_SEL4_ARCH_MAPPING_H */
