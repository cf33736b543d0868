/* A thousand branches on the key KEY, as the function PASS. Compilers take minutes for ten thousand in one file. */

#include <limen/static_key.h>

#include "passes.h"

#define TEN(what) what what what what what what what what what what
#define BRANCH                                                                                                     \
    if (limen_static_branch_unlikely(KEY)) {                                                                       \
        taken++;                                                                                                   \
    }

void PASS(void)
{
    TEN(TEN(TEN(BRANCH)))
}
