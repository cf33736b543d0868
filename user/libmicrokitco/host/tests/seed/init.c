/* Initialisation: memory that it accepts or refuses, and calls before it. */

#include "seed.h"

static void calls_before_init_say_so(void)
{
    co_state_t found;
    bool flag;
    int handle;
    uintptr_t argument;
    size_t size;
    const co_err_t expected = co_err_generic_not_initialised;
    CHECK(expected != co_no_err);
    CHECK_REFUSED(microkit_cothread_spawn(nothing, true, &handle, 0), expected);
    CHECK_REFUSED(microkit_cothread_query_state(0, &found), expected);
    CHECK_REFUSED(microkit_cothread_free_handle_available(&flag), expected);
    CHECK_REFUSED(microkit_cothread_my_handle(&handle), expected);
    CHECK_REFUSED(microkit_cothread_my_arg(&argument), expected);
    CHECK_REFUSED(microkit_cothread_set_arg(1, 0), expected);
    CHECK_REFUSED(microkit_cothread_mark_ready(1), expected);
    CHECK_REFUSED(microkit_cothread_recv_ntfn(0), expected);
    CHECK_REFUSED(microkit_cothread_yield(), expected);
    CHECK_REFUSED(microkit_cothread_run(), expected);
    CHECK_REFUSED(microkit_cothread_wait_on_channel(0), expected);
    CHECK_REFUSED(microkit_cothread_block(), expected);
    CHECK_REFUSED(microkit_cothread_destroy(1), expected);
    CHECK_REFUSED(microkit_cothread_join(1), expected);
    CHECK_REFUSED(microkit_cothread_exit(1), expected);
    CHECK_REFUSED(microkit_cothread_set_name(1, "x"), expected);
    CHECK_REFUSED(microkit_cothread_stack_used(1, &size), expected);
    CHECK_TEXT(microkit_cothread_name(1), "");
}

static void yield_and_block_before_the_first_spawn_return(void)
{
    test_start();
    CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
    CHECK_EQUAL(microkit_cothread_block(), co_err_generic_no_runnable_cothread);
    CHECK_EQUAL(state(0), cothread_running);
}

static co_err_t init_with(uintptr_t memory, size_t size, uintptr_t third)
{
    return microkit_cothread_init(memory, size, test_stack(0), test_stack(1), third, test_stack(3));
}

static void init_checks_what_it_is_given(void)
{
    uintptr_t memory = (uintptr_t)test_controller;
    CHECK_EQUAL(init_with(memory, 0xfff, test_stack(2)), co_err_init_stack_too_small);
    CHECK_EQUAL(init_with(memory, 0x1000, 0), co_err_init_co_stack_null);
    CHECK_EQUAL(init_with(0, 0x1000, test_stack(2)), co_err_init_controller_null);
    CHECK_EQUAL(init_with(memory, 0x1000, UINTPTR_MAX - 0xff0), co_err_init_co_stack_wraps);
    CHECK_EQUAL(microkit_cothread_init_array(memory, 0x1000, NULL), co_err_init_co_stack_null);
    int handle;
    CHECK_REFUSED(microkit_cothread_my_handle(&handle), co_err_generic_not_initialised);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(2)), co_no_err);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(2)), co_err_init_already_initialised);
}

static void overlaps_are_refused(void)
{
    if (!LIMEN_CO_CHECKS) {
        return;
    }
    uintptr_t memory = (uintptr_t)test_controller;
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(1) + 0xfff), co_err_init_co_stack_overlap);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(1) - 0xfff), co_err_init_co_stack_overlap);
    CHECK_EQUAL(init_with(test_stack(1) + 0x800, 0x4000, test_stack(2)), co_err_init_co_stack_overlap);
    /* A size that does not fit into 32 bits. */
    CHECK_EQUAL(init_with(memory, 0x100000800, test_stack(2)), co_err_init_co_stack_overlap);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(1) + 0x1000), co_no_err);
}

static void the_stack_of_the_caller_is_refused(void)
{
    if (!LIMEN_CO_CHECKS) {
        return;
    }
    uintptr_t here = (uintptr_t)__builtin_frame_address(0) - 0x1000;
    CHECK_EQUAL(init_with((uintptr_t)test_controller, 0x2000, here), co_err_init_on_co_stack);
}

static void memory_of_any_alignment_is_taken(void)
{
    for (uintptr_t shift = 1; shift < 16; shift += 2) {
        static char memory[LIBMICROKITCO_CONTROLLER_SIZE + 16];
        limen_host_reset();
        CHECK_EQUAL(init_with((uintptr_t)memory + shift, 0x1000 + shift, test_stack(2) + shift), co_no_err);
        memory[LIBMICROKITCO_CONTROLLER_SIZE + shift] = 'x';
        for (int i = 0; i < LIBMICROKITCO_MAX_COTHREADS; i++) {
            spawn(mark_self);
        }
        CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
        CHECK_EQUAL(memory[LIBMICROKITCO_CONTROLLER_SIZE + shift], 'x');
    }
}

static void init_takes_pointers_and_integers(void)
{
    char *first = (char *)test_stack(0);
    CHECK_EQUAL(microkit_cothread_init((uintptr_t)test_controller, 0x1000, first, test_stack(1), (void *)test_stack(2),
                                       test_stack(3), 0x1000),
                co_no_err);
}

static void a_controller_for_four_fits_one_page(void)
{
    CHECK(LIBMICROKITCO_CONTROLLER_SIZE <= 0x1000);
}

void init_tests(void)
{
    RUN(calls_before_init_say_so);
    RUN(yield_and_block_before_the_first_spawn_return);
    RUN(init_checks_what_it_is_given);
    RUN(overlaps_are_refused);
    RUN(the_stack_of_the_caller_is_refused);
    RUN(memory_of_any_alignment_is_taken);
    RUN(init_takes_pointers_and_integers);
    RUN(a_controller_for_four_fits_one_page);
}
