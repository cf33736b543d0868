/* A patched branch on a key of another file, whose own branches may be fallbacks. */

#include <limen/static_key.h>

#include "branches.h"

extern limen_static_key_t traces;

seL4_Word traces_elsewhere(void)
{
    return limen_static_branch_unlikely(traces) ? 1 : 0;
}
