/* The crime of each program of the suite, by the program's name, and the record of its progress. */
#ifndef TESTS_FAULTS_MONITOR_CRIMES_H
#define TESTS_FAULTS_MONITOR_CRIMES_H

#include <microkit.h>

#define FOR_EACH_CRIME(DO)           \
    DO(null_load)                    \
    DO(null_store)                   \
    DO(null_call)                    \
    DO(store_to_text)                \
    DO(store_to_constants)           \
    DO(run_data)                     \
    DO(run_stack)                    \
    DO(run_message_buffer)           \
    DO(overflow_stack)               \
    DO(load_below_message_buffer)    \
    DO(load_boot)                    \
    DO(load_kernel)                  \
    DO(store_kernel)                 \
    DO(run_kernel)                   \
    DO(load_above_top)               \
    DO(load_non_canonical)           \
    DO(run_non_canonical)            \
    DO(load_interrupt_controller)    \
    DO(load_loader)                  \
    DO(odd_program_counter)          \
    DO(odd_exclusive_load)           \
    DO(undefined_instruction)        \
    DO(breakpoint)                   \
    DO(unknown_system_call)          \
    DO(call_outside_table)           \
    DO(receive_from_nothing)         \
    DO(store_beyond_region)          \
    DO(load_before_region)           \
    DO(store_to_read_only_region)    \
    DO(run_region)                   \
    DO(recurse)                      \
    DO(large_frame)                  \
    DO(use_floating_point)           \
    DO(stop_child_after_the_last)    \
    DO(stop_child_that_wraps)        \
    DO(resume_child_without_slot)    \
    DO(restart_child_that_is_none)

#define CRIME_NUMBER(name) CRIME_##name,
enum crime {
    FOR_EACH_CRIME(CRIME_NUMBER)
    CRIMES
};

/* Shared by all programs. */
struct record {
    /* Set just before the crime. */
    volatile seL4_Word started[CRIMES];
    /* Set after the crime; must never happen. */
    volatile seL4_Word survived[CRIMES];
    /* Set when the program is notified; must never happen either. */
    volatile seL4_Word notified[CRIMES];
};

#endif /* TESTS_FAULTS_MONITOR_CRIMES_H */
