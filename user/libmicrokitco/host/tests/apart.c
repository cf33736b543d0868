/* A program and a library compiled with different options: init must report it before anything else happens. */

#include "test.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

#if LIBMICROKITCO_API == 1
static void init_refuses_a_library_with_other_options(void)
{
    memset(test_controller, 'x', sizeof(test_controller));
    co_err_t error = microkit_cothread_init(test_controller, STACK_BYTES, test_stack(0), test_stack(1), test_stack(2),
                                            test_stack(3));
    CHECK_EQUAL(error, co_err_init_other_options);
    CHECK(strstr(microkit_cothread_pretty_error(error), "another libmicrokitco_opts.h"));
    for (size_t i = 0; i < sizeof(test_controller); i++) {
        CHECK_EQUAL(test_controller[i], 'x');
    }
}
#else
static void start(void)
{
    stack_ptrs_arg_array_t stacks = { test_stack(0), test_stack(1), test_stack(2), test_stack(3) };
    microkit_cothread_init((co_control_t *)test_controller, STACK_BYTES, stacks);
}

static void init_refuses_a_library_with_other_options(void)
{
    CHECK_EQUAL(fault_of(start), 0x18);
    CHECK(strstr(test_console, "another libmicrokitco_opts.h"));
}
#endif

int main(void)
{
    RUN(init_refuses_a_library_with_other_options);
    return test_end("apart");
}
