// Entry from user mode and return to it.
//
// While a program runs, sscratch points to its thread's context; while the kernel runs, it is zero. An entry saves the
// caller-saved registers (ra, t0 to t6, a0 to a7) with sp and the program counter, then calls Rust on the kernel stack,
// which holds the context's address at its top. Rust returns the context to run. s0 to s11, gp and tp, which the kernel
// does not use, are switched only if that is another context. sstatus is the same for every thread.

// Below the top of the kernel stack: the context that was entered from, and after it the context to return to.
.equ ENTERED, {ENTERED}

.macro enter_kernel_stack
    mv      t0, sp
    lla     sp, kernel_stack_top - ENTERED
    sd      t0, 0(sp)
    addi    a0, sp, ENTERED + {TO_KERNEL}
.endm

// All but t0, which is saved first.
.macro each_caller_saved access
    \access ra, ({X} + 8 * 1)(sp)
    \access t1, ({X} + 8 * 6)(sp)
    \access t2, ({X} + 8 * 7)(sp)
    \access a0, ({X} + 8 * 10)(sp)
    \access a1, ({X} + 8 * 11)(sp)
    \access a2, ({X} + 8 * 12)(sp)
    \access a3, ({X} + 8 * 13)(sp)
    \access a4, ({X} + 8 * 14)(sp)
    \access a5, ({X} + 8 * 15)(sp)
    \access a6, ({X} + 8 * 16)(sp)
    \access a7, ({X} + 8 * 17)(sp)
    \access t3, ({X} + 8 * 28)(sp)
    \access t4, ({X} + 8 * 29)(sp)
    \access t5, ({X} + 8 * 30)(sp)
    \access t6, ({X} + 8 * 31)(sp)
.endm

.macro each_callee_saved access, context
    \access gp, ({X} + 8 * 3)(\context)
    \access tp, ({X} + 8 * 4)(\context)
    \access s0, ({X} + 8 * 8)(\context)
    \access s1, ({X} + 8 * 9)(\context)
    \access s2, ({X} + 8 * 18)(\context)
    \access s3, ({X} + 8 * 19)(\context)
    \access s4, ({X} + 8 * 20)(\context)
    \access s5, ({X} + 8 * 21)(\context)
    \access s6, ({X} + 8 * 22)(\context)
    \access s7, ({X} + 8 * 23)(\context)
    \access s8, ({X} + 8 * 24)(\context)
    \access s9, ({X} + 8 * 25)(\context)
    \access s10, ({X} + 8 * 26)(\context)
    \access s11, ({X} + 8 * 27)(\context)
.endm

// Restores from the context in a0.
.macro restore_registers
    mv      sp, a0
    ld      t0, {X}(sp)
    csrw    sscratch, sp
    csrw    sepc, t0
    ld      t0, ({X} + 8 * 5)(sp)
    each_caller_saved ld
    ld      sp, ({X} + 8 * 2)(sp)
.endm

// Ends with a return to the program whose context is in a0. There are two copies, so that neither way into it has a branch
// that is taken: a core predicts few of those.
.macro return_to_program
    static_jump_if_on {PROBING}, 0, probed_return, t0
    restore_registers
    sret
.endm

// Returns from the kernel. a0: the context to run, or zero. The top of the stack has the context that was entered from.
//
// Functions on the fast path are within reach of one `jal`.
.macro leave
    ld      a1, 0(sp)
    bne     a0, a1, trap_switch
    j       trap_restore
.endm

.section .text.trap, "ax"
.balign 4
.global trap_entry
trap_entry:
    csrrw   sp, sscratch, sp
    // Zero in the kernel. Positive after an exception in the instructions up to the exchange below: then it is the program's
    // stack pointer. Contexts are at kernel addresses, which are negative.
    bgez    sp, trap_from_kernel
    sd      t0, ({X} + 8 * 5)(sp)
    static_jump_if_on {PROBING}, 0, probed_entry, t0
    each_caller_saved sd
    csrrw   t0, sscratch, zero
    csrr    t1, sepc
    csrr    t2, scause
    sd      t0, ({X} + 8 * 2)(sp)
    li      t3, {CAUSE_SYSCALL}
    bne     t2, t3, trap_other
    // The program resumes after the instruction.
    addi    t1, t1, 4
    sd      t1, {X}(sp)
    enter_kernel_stack
    addi    t1, a7, {CALL}
    beqz    t1, trap_call
    addi    t1, a7, {REPLY_RECV}
    beqz    t1, trap_reply_recv
    addi    t1, a7, {SEND}
    beqz    t1, trap_send
    addi    t1, a7, {RECV}
    beqz    t1, trap_recv
    mv      a1, a7
    call    {enter_syscall}
    leave
trap_send:
    jal     {serve_send}
trap_return:
    ld      a1, 0(sp)
    bne     a0, a1, trap_switch
trap_restore:
    return_to_program
// a1: the context to switch from. Aligned, so that the site below needs no padding that executes.
.balign 4
trap_switch:
    each_callee_saved sd, a1
    beqz    a0, trap_idle
trap_run:
    each_callee_saved ld, a0
    // Clears the reservation, so that a store-conditional of this thread cannot succeed on the load-reserved of
    // another. The word that this may overwrite is no longer needed.
    sc.d    t0, zero, (sp)
    return_to_program

trap_call:
    jal     {serve_call}
    leave
trap_reply_recv:
    jal     {serve_reply_recv}
    leave

trap_other:
    sd      t1, {X}(sp)
    enter_kernel_stack
    // The highest bit tells interrupts from faults. Work takes interrupts but never faults.
    li      t0, {SSTATUS_SPP}
    bltz    t2, trap_interrupt
    csrr    t1, sstatus
    and     t1, t1, t0
    bnez    t1, trap_from_kernel
    mv      a1, t2
    csrr    a2, stval
    call    {enter_fault}
    j       trap_return
trap_interrupt:
    // The return is always to user mode: see work.rs.
    csrc    sstatus, t0
    call    {enter_interrupt}
    j       trap_return

trap_recv:
    jal     {serve_recv}
    leave

// The same with probing on: the first free register takes the cycle counter.
probed_entry:
    rdcycle t0
    each_caller_saved sd
    mv      a3, t0
    mv      a4, a7
    csrrw   t0, sscratch, zero
    csrr    t1, sepc
    csrr    a1, scause
    csrr    a2, stval
    sd      t0, ({X} + 8 * 2)(sp)
    li      t3, {CAUSE_SYSCALL}
    bne     a1, t3, 1f
    addi    t1, t1, 4
1:  sd      t1, {X}(sp)
    li      t0, {SSTATUS_SPP}
    csrrc   t1, sstatus, t0
    // From work, only interrupts are legal.
    bltz    a1, 1f
    and     t1, t1, t0
    bnez    t1, trap_from_kernel
1:  enter_kernel_stack
    call    {enter_probed}
    j       trap_return

// Restores from the context in a0. The program's stamp goes to t2, which is read last.
.macro stamped_return barrier
    restore_registers
    \barrier
    rdcycle t2
    sret
.endm

probed_return:
    sd      a0, 8(sp)
    lla     a0, {kernel}
    call    {exit_stamp}
    andi    t1, a0, 0xff
    ld      a0, 8(sp)
    addi    t1, t1, -{STAMP_PLAIN}
    beqz    t1, 1f
    bgtz    t1, 2f
    restore_registers
    sret
1:  stamped_return
2:  stamped_return fence

// No thread is ready. Interrupts stay masked; a pending one ends the wait and is handled here.
trap_idle:
    wfi
    lla     a0, {kernel}
    call    {enter_interrupt}
    beqz    a0, trap_idle
    j       trap_run

// Starts work, on its own stack. a0: the task. The report stays on this stack until the kernel has read it.
.global work_entry
work_entry:
    addi    sp, sp, -{RESULT_BYTES}
    mv      a1, sp
    call    {run_work}
    csrci   sstatus, 2
    csrw    sscratch, zero
    mv      a1, sp
    lla     sp, kernel_stack_top - ENTERED
    lla     a0, {kernel}
    call    {finish_work}
    beqz    a0, trap_idle
    j       trap_run

// void trap_start(context or zero): leaves boot and runs the first thread.
.global trap_start
trap_start:
    lla     sp, kernel_stack_top - ENTERED
    beqz    a0, trap_idle
    j       trap_run

// The kernel faulted or was interrupted. No state is trustworthy, so all that is left is to report it.
trap_from_kernel:
    csrw    sscratch, zero
    lla     sp, kernel_stack_top - {EMERGENCY_OFFSET}
    call    {panic_in_kernel}
