// Entry from user mode and return to it.
//
// While a program runs, SP_EL1 points to the context of its thread, and TPIDR_EL1 to the top of the kernel stack.
// An entry saves the registers that compiled code may change (x0 to x18, x30) with SP, PC and SPSR, then calls Rust
// on the kernel stack, with the context's address in x19, which Rust preserves. Rust returns the context to run. Only
// when that is another one are x20 to x29 and the thread pointers exchanged.
//
// An exception return clears the exclusive monitor (DDI 0487, AArch64.ExceptionReturn), so that no store-exclusive of a
// thread succeeds on the load-exclusive of another.

// In front of `save_registers`: the way past the probes, with two registers to spare.
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

// What compiled code preserves, to a context.
.macro save_preserved_registers context
    mrs     x9, tpidr_el0
    stp     x20, x21, [\context, #{X0} + 160]
    stp     x22, x23, [\context, #{X0} + 176]
    stp     x24, x25, [\context, #{X0} + 192]
    stp     x26, x27, [\context, #{X0} + 208]
    stp     x28, x29, [\context, #{X0} + 224]
    str     x9, [\context, #{TPIDR}]
.endm

// From the context in x0.
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

// The first argument of every entry: the kernel, which begins a page.
.macro kernel_to_x0
    adrp    x0, {kernel}
.endm

// The kernel stack instead of the context.
.macro enter_kernel_stack
    mrs     x9, tpidr_el1
    mov     x19, sp
    mov     sp, x9
    kernel_to_x0
.endm

// x0: the context to run, or zero.
.macro leave
    cmp     x0, x19
    b.ne    trap_switch
    b       trap_restore
.endm

// Which system call it is. One comparison for two, for which the vector has no room: without a sign, the first number is the
// highest.
.macro tell_system_calls
    .if     {CALL} != 1 || {REPLY_RECV} != 2
    .error  "these are not the first numbers"
    .endif
    cmn     x7, #{REPLY_RECV}
    b.hi    trap_call
    b.eq    trap_answer
    cmn     x7, #{SEND}
    b.eq    trap_send
    cmn     x7, #{RECV}
    b.eq    trap_receive
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
    // From the kernel with SP_EL0: from work, which does not fault, but is interrupted.
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
    tell_system_calls
    .endif
    // Not .balign: code that outgrows its vector must not build.
    .org    trap_vectors + 0x480
    save_first_registers probed_interrupt
    save_registers
    enter_kernel_stack
    bl      {enter_interrupt}
    leave
    .org    trap_vectors + 0x500
    vector  trap_from_kernel
    // An error on the bus that the program's access may have caused: its fault, not the kernel's.
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
    tell_system_calls
.endif
trap_other_syscall:
    mov     x1, x7
    bl      {enter_syscall}
    leave
trap_answer:
    bl      {serve_answer}
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
trap_receive:
    bl      {serve_receive}
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

// The same while programs are probed: the counter is read with the first register that is free.
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

// From the context in x0. What the program is told goes to x10, which is read last.
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

// Nobody can run. Interrupts stay masked; a pending one ends the wait and is served here.
trap_idle:
    dsb     sy
    wfi
    kernel_to_x0
    bl      {enter_interrupt}
    cbz     x0, trap_idle
    b       trap_run

// Work begins, on its own stack and with everything masked. x0: where the program's registers are, of which some are not
// there yet; x1: what to do. What it has found stays on its stack until the kernel has read it.
.global work_entry
work_entry:
    save_preserved_registers x0
    sub     sp, sp, #{REPORT_BYTES}
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

// void run(context or zero): leaves boot for the first thread.
.global trap_start
trap_start:
    mrs     x9, tpidr_el1
    mov     sp, x9
    cbz     x0, trap_idle
    b       trap_run

// The kernel faulted or was interrupted: nothing can be trusted except what is printed now.
trap_from_kernel:
    mrs     x9, tpidr_el1
    sub     sp, x9, #{EMERGENCY_OFFSET}
    bl      {panic_in_kernel}
