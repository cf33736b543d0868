/* The parent of the culprit: runs the series of attacks. */

#include "series.h"
#include "test.h"

static void test_registers(void)
{
    RUN(any_program_counter_may_be_written);
    RUN(any_stack_pointer_may_be_written);
    RUN(traps_do_not_use_the_stack);
    RUN(a_program_counter_written_during_a_wait_is_where_it_resumes);
    RUN(a_program_counter_written_during_a_wait_is_where_a_signal_leads);
}

void init(void)
{
    /* The culprit must report its addresses. */
    wait_for_signals();
    publish_instructions();
    RUN(instructions_end_as_documented);
    RUN(accesses_need_permission);
    test_registers();
    test_architecture();
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
