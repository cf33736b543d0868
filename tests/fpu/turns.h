/* Memory shared by the tester and the disturber, which take turns. */
#ifndef TESTS_FPU_TURNS_H
#define TESTS_FPU_TURNS_H

#include <microkit.h>

struct turns {
    /* How often the disturber looked at its registers. */
    volatile seL4_Word looks;
    /* How often they were not its own. */
    volatile seL4_Word wrong;
};

#endif /* TESTS_FPU_TURNS_H */
