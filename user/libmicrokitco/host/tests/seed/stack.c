/* Stacks, names, and reports of errors. */

#include "seed.h"

static void use_stack(void)
{
    volatile char room[0x1800];
    for (size_t i = 0; i < sizeof(room); i++) {
        room[i] = (char)i;
    }
}

static void the_stack_that_was_used_is_told(void)
{
    size_t before = 0, after = 0;
    test_start();
    spawn(nothing);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_stack_used(1, &before), co_no_err);
    for (int i = 0; i < 4; i++) {
        spawn(use_stack);
    }
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_stack_used(1, &after), co_no_err);
    CHECK(before < 0x1000);
    CHECK(after >= 0x1800 && after < STACK_BYTES);
    CHECK_REFUSED(microkit_cothread_stack_used(0, &after), co_err_generic_invalid_handle);
}

static void overflow(void)
{
    *(volatile uintptr_t *)test_stack(1) = 0x41;
    microkit_cothread_yield();
    microkit_cothread_wait_on_channel(5);
}

static void run_overflowing_cothread(void)
{
    test_start();
    spawn(nothing);
    spawn(overflow);
    microkit_cothread_set_name(2, "digger");
    microkit_cothread_run();
}

static void an_overflow_is_reported_by_name(void)
{
    if (!LIMEN_CO_CHECKS) {
        return;
    }
    CHECK_EQUAL(fault_of(run_overflowing_cothread), co_err_stack_overflow);
    CHECK_TEXT(test_console, "host|cothread 2 'digger': the cothread has overflowed its stack\n");
}

static void overflow_without_a_name(void)
{
    test_start();
    spawn(nothing);
    spawn(overflow);
    microkit_cothread_run();
}

static void a_report_without_a_name_has_the_handle(void)
{
    if (!LIMEN_CO_CHECKS) {
        return;
    }
    CHECK_EQUAL(fault_of(overflow_without_a_name), co_err_stack_overflow);
    CHECK_TEXT(test_console, "host|cothread 2: the cothread has overflowed its stack\n");
}

static void names_are_cut_and_forgotten(void)
{
    test_start();
    spawn(nothing);
    CHECK_EQUAL(microkit_cothread_set_name(1, "a name of more than fifteen characters"), co_no_err);
    CHECK_TEXT(microkit_cothread_name(1), "a name of more ");
    microkit_cothread_yield();
    CHECK_TEXT(microkit_cothread_name(1), "");
    CHECK_REFUSED(microkit_cothread_set_name(1, "gone"), co_err_generic_invalid_handle);
    CHECK_REFUSED(microkit_cothread_set_name(0, "root"), co_err_generic_invalid_handle);
}

static void addresses_tell_whose_stack_they_are_on(void)
{
    test_start();
    spawn(nothing);
    spawn(nothing);
    microkit_cothread_set_name(2, "second");
    CHECK_EQUAL(limen_cothread_of_address(test_controller, test_stack(1) + 0x100), 2);
    CHECK_EQUAL(limen_cothread_of_address(test_controller, test_stack(1) - 0x100), 2);
    CHECK_EQUAL(limen_cothread_of_address(test_controller, (uintptr_t)&init), 0);
    CHECK_TEXT(limen_cothread_name_at(test_controller, test_stack(1) + STACK_BYTES), "second");
    CHECK_TEXT(limen_cothread_name_at(test_controller, 1), "");
}

static void every_error_has_its_own_sentence(void)
{
    for (int i = 0; i < co_num_errors; i++) {
        const char *text = microkit_cothread_pretty_error((co_err_t)i);
        CHECK(text[0] && text[strlen(text) - 1] == '\n');
    }
    int tried = 0;
#define SENTENCE(error, text) tried++; CHECK_TEXT(microkit_cothread_pretty_error(error), text);
#include "sentences.h"
#undef SENTENCE
    CHECK_EQUAL(tried, co_num_errors);
    CHECK_TEXT(microkit_cothread_pretty_error(co_num_errors), "unknown error\n");
    CHECK_TEXT(microkit_cothread_pretty_error((co_err_t)-1), "unknown error\n");
}

void stack_tests(void)
{
    RUN(the_stack_that_was_used_is_told);
    RUN(an_overflow_is_reported_by_name);
    RUN(a_report_without_a_name_has_the_handle);
    RUN(names_are_cut_and_forgotten);
    RUN(addresses_tell_whose_stack_they_are_on);
    RUN(every_error_has_its_own_sentence);
}
