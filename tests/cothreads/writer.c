/* Its cothread writes to an unmapped address. */

#include "faulty.h"

static void write_to_nowhere(void)
{
    microkit_internal_crash((seL4_Error)0x10);
}

void notified(microkit_channel ch)
{
    (void)ch;
    run_with_idler(write_to_nowhere, "writer");
}
