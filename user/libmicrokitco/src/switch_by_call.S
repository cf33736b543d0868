/* The switches of ports with a switch by function call, made of these macros of each port:
 *
 *   save_partly, save_partly_for     the stack pointer, the reserved registers, and the return address or a label
 *   save_reserved                    the first two
 *   save_general, save_floating      the other registers that a call preserves; restore_general, restore_floating
 *   continue_other                   restores what save_partly saved, and jumps
 *   restore_reserved                 restores what save_reserved saved
 *   clear_result, enter_cothread     sets co_no_err; calls limen_co_begin, which does not return */

    .text

    .global limen_co_switch_to
    .type limen_co_switch_to, %function
limen_co_switch_to:
    save_partly
    continue_other
    .size limen_co_switch_to, . - limen_co_switch_to

    .global limen_co_call_all
    .type limen_co_call_all, %function
limen_co_call_all:
    save_partly_for called_all
    save_general
    save_floating
    continue_other
called_all:
    restore_floating
    restore_general
    clear_result
    ret
    .size limen_co_call_all, . - limen_co_call_all

    .global limen_co_leave_root_all
    .type limen_co_leave_root_all, %function
limen_co_leave_root_all:
    save_reserved
    save_general
    save_floating
    continue_other
    .size limen_co_leave_root_all, . - limen_co_leave_root_all

    /* Does not load the address to continue at, which is limen_co_root_continues_all. */
    .global limen_co_return_to_root_all
    .type limen_co_return_to_root_all, %function
limen_co_return_to_root_all:
    save_partly
    restore_reserved
    .global limen_co_root_continues_all
limen_co_root_continues_all:
    restore_floating
    restore_general
    ret
    .size limen_co_return_to_root_all, . - limen_co_return_to_root_all

    .global limen_co_call_no_fpu
    .type limen_co_call_no_fpu, %function
limen_co_call_no_fpu:
    save_partly_for called_no_fpu
    save_general
    continue_other
called_no_fpu:
    restore_general
    clear_result
    ret
    .size limen_co_call_no_fpu, . - limen_co_call_no_fpu

    .global limen_co_leave_root_no_fpu
    .type limen_co_leave_root_no_fpu, %function
limen_co_leave_root_no_fpu:
    save_reserved
    save_general
    continue_other
    .size limen_co_leave_root_no_fpu, . - limen_co_leave_root_no_fpu

    /* Does not load the address to continue at, which is limen_co_root_continues_no_fpu. */
    .global limen_co_return_to_root_no_fpu
    .type limen_co_return_to_root_no_fpu, %function
limen_co_return_to_root_no_fpu:
    save_partly
    restore_reserved
    .global limen_co_root_continues_no_fpu
limen_co_root_continues_no_fpu:
    restore_general
    ret
    .size limen_co_return_to_root_no_fpu, . - limen_co_return_to_root_no_fpu

    /* The frame pointer is 0 here: stack unwinding ends. */
    .global limen_co_start
    .type limen_co_start, %function
limen_co_start:
    enter_cothread
    .size limen_co_start, . - limen_co_start

    .section .note.GNU-stack, "", %progbits
