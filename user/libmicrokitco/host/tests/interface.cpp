// Both interfaces in C++: every function compiles with the types that programs expect.

#include <libmicrokitco.h>

#if LIBMICROKITCO_API == 1
static void nothing()
{
}

co_err_t use(uintptr_t memory, char *first, uintptr_t second, void *third, uintptr_t fourth)
{
    microkit_cothread_t handle;
    co_state_t state;
    bool flag;
    size_t value;
    uintptr_t argument;
    char room[LIBMICROKITCO_CONTROLLER_SIZE];
    (void)room;
    microkit_cothread_init(memory, 0x1000, first, second, third, fourth);
    microkit_cothread_spawn(nothing, true, &handle, 1);
    microkit_cothread_query_state(handle, &state);
    microkit_cothread_free_handle_available(&flag);
    microkit_cothread_my_arg(&argument);
    microkit_cothread_join(handle);
    return microkit_cothread_join(handle, &value);
}
#else
static void nothing()
{
}

microkit_cothread_ref_t use(co_control_t *controller, const stack_ptrs_arg_array_t stacks)
{
    microkit_cothread_init(controller, 0x1000, stacks);
    return microkit_cothread_spawn(nothing, nullptr);
}
#endif
