// Entry from user mode and return to it.
//
// While a program runs, SP_EL1 points to the context of its thread, and TPIDR_EL1 to the top of the kernel stack.
// An entry saves the registers that compiled code may change (x0 to x18, x30) with SP, PC and SPSR, then calls Rust
// on the kernel stack, where the context's address lies at the top. Rust returns the context to run. Only when that
// is another one are x19 to x29 and the thread pointers exchanged.

.macro save_caller_saved
    stp     x0, x1, [sp, #{X0}]
    stp     x2, x3, [sp, #{X0} + 16]
    stp     x4, x5, [sp, #{X0} + 32]
    stp     x6, x7, [sp, #{X0} + 48]
    stp     x8, x9, [sp, #{X0} + 64]
    stp     x10, x11, [sp, #{X0} + 80]
    stp     x12, x13, [sp, #{X0} + 96]
    stp     x14, x15, [sp, #{X0} + 112]
    stp     x16, x17, [sp, #{X0} + 128]
    str     x18, [sp, #{X0} + 144]
    mrs     x9, sp_el0
    mrs     x10, elr_el1
    mrs     x11, spsr_el1
    stp     x30, x9, [sp, #{SP} - 8]
    stp     x10, x11, [sp, #{PC}]
.endm

// The first argument of every entry.
.macro kernel_to_x0
    adrp    x0, {kernel}
    add     x0, x0, :lo12:{kernel}
.endm

// The kernel stack instead of the context, which is remembered at its top.
.macro enter_kernel_stack
    mrs     x9, tpidr_el1
    mov     x10, sp
    mov     sp, x9
    str     x10, [sp, #-16]!
    kernel_to_x0
.endm

.macro vector label
    .balign 0x80
    b       \label
.endm

.section .text.trap, "ax"
.balign 0x800
.global trap_vectors
trap_vectors:
    // From the kernel with SP_EL0, which it never uses, and with SP_ELx: bugs.
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    vector  trap_from_kernel
    // From user mode in AArch64: synchronous, IRQ, FIQ, SError.
    .balign 0x80
    save_caller_saved
    mrs     x1, esr_el1
    lsr     x9, x1, #{ESR_CLASS_SHIFT}
    cmp     x9, #{CLASS_SVC}
    b.ne    trap_fault
    enter_kernel_stack
    mov     x1, x7
    bl      {enter_syscall}
    b       trap_return
    // Not .balign: code that outgrows its vector must not build.
    .org    trap_vectors + 0x480
    save_caller_saved
    enter_kernel_stack
    bl      {enter_interrupt}
    b       trap_return
    .org    trap_vectors + 0x500
    vector  trap_from_kernel
    // An error on the bus that the program's access may have caused: its fault, not the kernel's.
    .org    trap_vectors + 0x580
    save_caller_saved
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

// x0: the context to run, or zero. At the top of the stack: the context that was entered from.
trap_return:
    ldr     x1, [sp]
    cmp     x0, x1
    b.ne    trap_switch
trap_restore:
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
    ldr     x18, [sp, #{X0} + 144]
    ldp     x0, x1, [sp, #{X0}]
    eret

// x1: the context to leave.
trap_switch:
    mrs     x9, tpidr_el0
    stp     x19, x20, [x1, #{X0} + 152]
    stp     x21, x22, [x1, #{X0} + 168]
    stp     x23, x24, [x1, #{X0} + 184]
    stp     x25, x26, [x1, #{X0} + 200]
    stp     x27, x28, [x1, #{X0} + 216]
    str     x29, [x1, #{X0} + 232]
    str     x9, [x1, #{TPIDR}]
    cbz     x0, trap_idle
trap_run:
    ldp     x9, x10, [x0, #{TPIDR}]
    ldp     x19, x20, [x0, #{X0} + 152]
    ldp     x21, x22, [x0, #{X0} + 168]
    ldp     x23, x24, [x0, #{X0} + 184]
    ldp     x25, x26, [x0, #{X0} + 200]
    ldp     x27, x28, [x0, #{X0} + 216]
    ldr     x29, [x0, #{X0} + 232]
    msr     tpidr_el0, x9
    msr     tpidrro_el0, x10
    // A store-exclusive of this thread must not succeed on the load-exclusive of another.
    clrex
    b       trap_restore

// Nobody can run. Interrupts stay masked; a pending one ends the wait and is served here.
trap_idle:
    dsb     sy
    wfi
    kernel_to_x0
    bl      {enter_interrupt}
    cbz     x0, trap_idle
    b       trap_run

// void run(context or zero): leaves boot for the first thread.
.global trap_start
trap_start:
    mrs     x9, tpidr_el1
    sub     sp, x9, #16
    cbz     x0, trap_idle
    b       trap_run

// The kernel faulted or was interrupted: nothing can be trusted except what is printed now.
trap_from_kernel:
    mrs     x9, tpidr_el1
    sub     sp, x9, #{EMERGENCY_OFFSET}
    bl      {panic_in_kernel}
