/* Memory that the tester and its child with cothreads share. */
#ifndef WORK_H
#define WORK_H

#include <microkit.h>

/* What a life finds in its init. */
struct work {
    volatile seL4_Word is_refused;
    volatile seL4_Word is_spawned;
    volatile seL4_Word handle;
    volatile seL4_Word stack_used;
    /* Of all lives. */
    volatile seL4_Word lives;
    volatile seL4_Word runs;
};

#endif /* WORK_H */
