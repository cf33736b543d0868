// Entry from user mode and return to it.
//
// While a program runs, SP_EL1 points to its thread's context, and TPIDR_EL1 to the top of the kernel stack. An entry
// saves the caller-saved registers (x0 to x18, x30) with SP, PC and SPSR, then calls Rust on the kernel stack. x19,
// which Rust preserves, holds the context's address. Rust returns the context to run. x20 to x29 and the thread
// pointers are switched only if that is another context.
//
// An exception return clears the exclusive monitor (DDI 0487, AArch64.ExceptionReturn), so a store-exclusive of one
// thread cannot succeed on the load-exclusive of another.

// Runs before `save_registers`: frees two registers, and branches to the probed entry if the key is on.
.macro save_first_registers probed
    stp     x0, x1, [sp, #{X0}]
    static_jump_if_on {PROBING}, 0, \probed, x0
.endm

.macro save_registers
    stp     x2, x3, [sp, #{X0} + 16]
    stp     x4, x5, [sp, #{X0} + 32]
    stp     x6, x7, [sp, #{X0} + 48]
    stp     x8, x9, [sp, #{X0} + 64]
    stp     x10, x11, [sp, #{X0} + 80]
    stp     x12, x13, [sp, #{X0} + 96]
    stp     x14, x15, [sp, #{X0} + 112]
    stp     x16, x17, [sp, #{X0} + 128]
    stp     x18, x19, [sp, #{X0} + 144]
    mrs     x9, sp_el0
    mrs     x10, elr_el1
    mrs     x11, spsr_el1
    stp     x30, x9, [sp, #{SP} - 8]
    stp     x10, x11, [sp, #{PC}]
.endm

// Saves the callee-saved registers to a context.
.macro save_preserved_registers context
    mrs     x9, tpidr_el0
    stp     x20, x21, [\context, #{X0} + 160]
    stp     x22, x23, [\context, #{X0} + 176]
    stp     x24, x25, [\context, #{X0} + 192]
    stp     x26, x27, [\context, #{X0} + 208]
    stp     x28, x29, [\context, #{X0} + 224]
    str     x9, [\context, #{TPIDR}]
.endm

// Restores from the context in x0.
.macro restore_registers
    mov     sp, x0
    ldp     x10, x11, [sp, #{PC}]
    ldp     x30, x9, [sp, #{SP} - 8]
    msr     elr_el1, x10
    msr     spsr_el1, x11
    msr     sp_el0, x9
    ldp     x2, x3, [sp, #{X0} + 16]
    ldp     x4, x5, [sp, #{X0} + 32]
    ldp     x6, x7, [sp, #{X0} + 48]
    ldp     x8, x9, [sp, #{X0} + 64]
    ldp     x10, x11, [sp, #{X0} + 80]
    ldp     x12, x13, [sp, #{X0} + 96]
    ldp     x14, x15, [sp, #{X0} + 112]
    ldp     x16, x17, [sp, #{X0} + 128]
    ldp     x18, x19, [sp, #{X0} + 144]
    ldp     x0, x1, [sp, #{X0}]
.endm

.macro return_to_program
    static_jump_if_on {PROBING}, 0, probed_return, x1
    restore_registers
    eret
.endm

// Loads the first argument of every entry: the kernel, which is page-aligned.
.macro kernel_to_x0
    adrp    x0, {kernel}
.endm

// Switches from the context to the kernel stack.
.macro enter_kernel_stack
    mrs     x9, tpidr_el1
    mov     x19, sp
    mov     sp, x9
    kernel_to_x0
.endm

// Returns from the kernel. x0: the context to run, or zero.
.macro leave
    cmp     x0, x19
    b.ne    trap_switch
    b       trap_restore
.endm

// Dispatches a system call. One unsigned compare tests for both Call (-1, the largest) and ReplyRecv (-2), because the
// vector slot has no room for two.
.macro dispatch_syscall
    .if     {CALL} != 1 || {REPLY_RECV} != 2
    .error  "Call must be -1 and ReplyRecv -2"
    .endif
    cmn     x7, #{REPLY_RECV}
    b.hi    trap_call
    b.eq    trap_reply_recv
    cmn     x7, #{SEND}
    b.eq    trap_send
    cmn     x7, #{RECV}
    b.eq    trap_recv
    b       trap_other_syscall
.endm

.macro vector label
    .balign 0x80
    b       \label
.endm

.section .text.trap, "ax"
.balign 0x800
.global trap_vectors
trap_vectors:
    // From the kernel with SP_EL0: from work, which takes interrupts but never faults.
    vector  trap_from_kernel
    .org    trap_vectors + 0x80
    stp     x0, x1, [sp, #{X0}]
    save_registers
    enter_kernel_stack
    bl      {enter_interrupt}
    leave
    .org    trap_vectors + 0x100
    vector  trap_from_kernel
    vector  trap_from_kernel
    // From the kernel with SP_ELx: bugs.
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    // From user mode in AArch64: synchronous, IRQ, FIQ, SError.
    .balign 0x80
    save_first_registers probed_synchronous
    save_registers
    mrs     x1, esr_el1
    lsr     x9, x1, #{ESR_CLASS_SHIFT}
    cmp     x9, #{CLASS_SVC}
    b.ne    trap_fault
    enter_kernel_stack
    .ifdef  static_jump_is_long
    b       trap_syscall
    .else
    dispatch_syscall
    .endif
    // .org instead of .balign, so that code that outgrows its vector does not assemble.
    .org    trap_vectors + 0x480
    save_first_registers probed_interrupt
    save_registers
    enter_kernel_stack
    bl      {enter_interrupt}
    leave
    .org    trap_vectors + 0x500
    vector  trap_from_kernel
    // SError: a bus error that the program's access may have caused counts as its fault.
    .org    trap_vectors + 0x580
    stp     x0, x1, [sp, #{X0}]
    save_registers
    mrs     x1, esr_el1
    b       trap_fault
    .org    trap_vectors + 0x600
    // From user mode in AArch32, which no program can enter.
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel

trap_fault:
    enter_kernel_stack
    mrs     x2, far_el1
    bl      {enter_fault}
    leave
.ifdef  static_jump_is_long
trap_syscall:
    dispatch_syscall
.endif
trap_other_syscall:
    mov     x1, x7
    bl      {enter_syscall}
    leave
trap_reply_recv:
    bl      {serve_reply_recv}
    leave
trap_send:
    bl      {serve_send}
    cmp     x0, x19
    b.ne    trap_switch
trap_restore:
    return_to_program

trap_call:
    bl      {serve_call}
    leave
trap_recv:
    bl      {serve_recv}
    cmp     x0, x19
    b.eq    trap_restore
trap_switch:
    save_preserved_registers x19
    cbz     x0, trap_idle
trap_run:
    ldp     x9, x10, [x0, #{TPIDR}]
    ldp     x20, x21, [x0, #{X0} + 160]
    ldp     x22, x23, [x0, #{X0} + 176]
    ldp     x24, x25, [x0, #{X0} + 192]
    ldp     x26, x27, [x0, #{X0} + 208]
    ldp     x28, x29, [x0, #{X0} + 224]
    msr     tpidr_el0, x9
    msr     tpidrro_el0, x10
    return_to_program

// The same with probing on: the first free register takes the cycle counter.
probed_synchronous:
    mrs     x0, pmccntr_el0
    save_registers
    mov     x3, x0
    mov     x4, x7
    mrs     x1, esr_el1
    mrs     x2, far_el1
    enter_kernel_stack
    bl      {enter_probed_synchronous}
    leave

probed_interrupt:
    mrs     x0, pmccntr_el0
    save_registers
    mov     x1, x0
    enter_kernel_stack
    bl      {enter_probed_interrupt}
    leave

// Restores from the context in x0. The program's stamp goes to x10, which is read last.
.macro stamped_return barrier
    restore_registers
    \barrier
    mrs     x10, pmccntr_el0
    eret
.endm

probed_return:
    mov     x19, x0
    kernel_to_x0
    bl      {exit_stamp}
    and     w1, w0, #0xff
    mov     x0, x19
    cmp     w1, #{STAMP_PLAIN}
    b.eq    1f
    b.hi    2f
    restore_registers
    eret
1:  stamped_return
2:  stamped_return isb

// No thread is ready. Interrupts stay masked; a pending one ends the wait and is handled here. An SError is not: pending,
// it would end every wait, and no program would run that takes it.
trap_idle:
    msr     daifclr, #4
    dsb     sy
    wfi
    kernel_to_x0
    bl      {enter_interrupt}
    cbz     x0, trap_idle
    b       trap_run

// Starts work, on its own stack, with everything masked. x0: the program's context, some of whose registers are not
// saved yet; x1: the task. The report stays on this stack until the kernel has read it.
.global work_entry
work_entry:
    save_preserved_registers x0
    sub     sp, sp, #{RESULT_BYTES}
    mov     x0, x1
    mov     x1, sp
    msr     daifclr, #3
    bl      {run_work}
    msr     daifset, #15
    mov     x1, sp
    msr     spsel, #1
    enter_kernel_stack
    bl      {finish_work}
    leave

// void trap_start(context or zero): leaves boot and runs the first thread.
.global trap_start
trap_start:
    mrs     x9, tpidr_el1
    mov     sp, x9
    cbz     x0, trap_idle
    b       trap_run

// The kernel faulted or was interrupted. No state is trustworthy, so all that is left is to report it.
trap_from_kernel:
    mrs     x9, tpidr_el1
    sub     sp, x9, #{EMERGENCY_OFFSET}
    bl      {panic_in_kernel}
