/* The series of attacks. Each is a test. */
#ifndef TESTS_ATTACKS_SERIES_H
#define TESTS_ATTACKS_SERIES_H

/* Copies the code of ARCH/table.S to the culprit. */
void publish_instructions(void);
void instructions_end_as_documented(void);

/* Loads, stores and jumps. */
void accesses_need_permission(void);

/* Registers that a parent writes. */
void any_program_counter_may_be_written(void);
void any_stack_pointer_may_be_written(void);
void traps_do_not_use_the_stack(void);

/* On architectures with flags. */
void written_flags_change_no_privileges(void);
void answered_flags_change_no_privileges(void);

/* A program counter that is written in the middle of a system call. */
void a_program_counter_written_during_a_wait_is_where_it_resumes(void);
void a_program_counter_written_during_a_wait_is_where_a_signal_leads(void);

/* The tests of ARCH/sweep.c. */
void test_architecture(void);

#endif /* TESTS_ATTACKS_SERIES_H */
