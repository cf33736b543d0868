// Entry from user mode and return to it.
//
// While a program runs, the task state segment says that the kernel's stack is the end of the context of its thread.
// A trap pushes there; a system call, for which the processor pushes nothing, stores there. Either saves every
// register but the bases of fs and gs, then calls Rust on the kernel stack. Rust returns the context to run. Only when
// that is another one are those bases exchanged. What the return has to load depends on how the thread had entered.

// The kernel stack instead of the context, and the first argument of every entry.
.macro enter_kernel_stack
    lea     rsp, [rip + kernel_stack_top]
    lea     rdi, [rip + {kernel}]
.endm

// rax: the context to run, or zero. Goes to `label` unless it is the one that was entered from.
.macro if_other_thread label
    lea     rcx, [rax + {END}]
    cmp     rcx, [rip + {task} + {STACK}]
    jne     \label
.endm

.section .text.trap, "ax"

// rcx: the program counter; r11: the flags. The stack is still the program's.
.balign 16
.global trap_syscall
trap_syscall:
    mov     [rip + user_stack], rsp
    mov     rsp, [rip + {task} + {STACK}]
    mov     [rsp + {RIP} - {END}], rcx
    mov     [rsp + {RFLAGS} - {END}], r11
    mov     rcx, [rip + user_stack]
    mov     [rsp + {RSP} - {END}], rcx
    mov     [rsp + {RAX} - {END}], rax
    mov     [rsp + {RDX} - {END}], rdx
    mov     [rsp + {RSI} - {END}], rsi
    mov     [rsp + {RDI} - {END}], rdi
    mov     [rsp + {R8} - {END}], r8
    mov     [rsp + {R9} - {END}], r9
    mov     [rsp + {R10} - {END}], r10
    mov     [rsp + {RBX} - {END}], rbx
    mov     [rsp + {RBP} - {END}], rbp
    mov     [rsp + {R12} - {END}], r12
    mov     [rsp + {R13} - {END}], r13
    mov     [rsp + {R14} - {END}], r14
    mov     [rsp + {R15} - {END}], r15
    enter_kernel_stack
    mov     rsi, rdx
    call    {enter_syscall}
    if_other_thread syscall_switch

// rax: the context to run. Rust has kept rbx, rbp and r12 to r14, or `run` has loaded them.
syscall_return:
    mov     rcx, [rax + {RIP}]
    mov     r11, [rax + {RFLAGS}]
    mov     rdi, [rax + {RDI}]
    mov     rsi, [rax + {RSI}]
    mov     r10, [rax + {R10}]
    mov     r8, [rax + {R8}]
    mov     r9, [rax + {R9}]
    mov     r15, [rax + {R15}]
    mov     rdx, [rax + {RDX}]
    mov     rsp, [rax + {RSP}]
    mov     rax, [rax + {RAX}]
    sysretq

syscall_switch:
    mov     rdx, [rip + {task} + {STACK}]
    mov     qword ptr [rdx + {ENTRY} - {END}], {SYSCALL}
// rdx: the end of the context to leave.
leave:
    rdfsbase r8
    rdgsbase r9
    mov     [rdx + {FS_BASE} - {END}], r8
    mov     [rdx + {GS_BASE} - {END}], r9
    test    rax, rax
    jz      idle
run:
    lea     rcx, [rax + {END}]
    mov     [rip + {task} + {STACK}], rcx
    mov     r8, [rax + {FS_BASE}]
    mov     r9, [rax + {GS_BASE}]
    wrfsbase r8
    wrgsbase r9
    cmp     qword ptr [rax + {ENTRY}], {SYSCALL}
    jne     trap_restore
    // No thread stops at a system call in the last page of user addresses, so its program counter is canonical:
    // `sysret` with another one would fault in the kernel with the stack of the program.
    mov     rbx, [rax + {RBX}]
    mov     rbp, [rax + {RBP}]
    mov     r12, [rax + {R12}]
    mov     r13, [rax + {R13}]
    mov     r14, [rax + {R14}]
    jmp     syscall_return

// One entry point for each vector: an error code if the processor pushes none, and the vector.
.balign {STUB_BYTES}
.global trap_stubs
trap_stubs:
    .set number, 0
    .rept 256
    .balign {STUB_BYTES}
    .if number != 8 && (number < 10 || number > 14) && number != 17 && number != 21 && number != 29 && number != 30
    push    0
    .endif
    push    number
    // These have a stack of their own, because they may come at any time.
    .if number == 2 || number == 8 || number == 18
    jmp     trap_fatal
    .else
    jmp     trap_entry
    .endif
    .set number, number + 1
    .endr

trap_entry:
    cld
    push    rax
    push    rcx
    push    rdx
    push    rsi
    push    rdi
    push    r8
    push    r9
    push    r10
    push    r11
    push    rbx
    push    rbp
    push    r12
    push    r13
    push    r14
    push    r15
    mov     rsi, [rsp + {ENTRY} - {R15}]
    test    byte ptr [rsp + {CS} - {R15}], 3
    jz      trap_from_kernel
    cmp     esi, {FIRST_INTERRUPT}
    jae     trap_interrupt
    mov     rdx, [rsp + {ENTRY} + 8 - {R15}]
    mov     rcx, cr2
    enter_kernel_stack
    call    {enter_fault}
    jmp     trap_return
trap_interrupt:
    enter_kernel_stack
    call    {enter_interrupt}
trap_return:
    if_other_thread trap_switch
trap_restore:
    lea     rsp, [rax + {R15}]
    pop     r15
    pop     r14
    pop     r13
    pop     r12
    pop     rbp
    pop     rbx
    pop     r11
    pop     r10
    pop     r9
    pop     r8
    pop     rdi
    pop     rsi
    pop     rdx
    pop     rcx
    pop     rax
    add     rsp, 16
    iretq

trap_switch:
    mov     rdx, [rip + {task} + {STACK}]
    jmp     leave

// Nobody can run. This is the only place where the kernel can be interrupted; it does not come back here.
idle:
    lea     rsp, [rip + kernel_stack_top]
1:  sti
    hlt
    jmp     1b

// void trap_start(rdi: context or zero): leaves boot for the first thread.
.global trap_start
trap_start:
    mov     rax, rdi
    test    rax, rax
    jz      idle
    jmp     run

// rsi: the vector. An interrupt ends idling; anything else is a bug of the kernel.
trap_from_kernel:
    cmp     esi, {FIRST_INTERRUPT}
    jb      1f
    enter_kernel_stack
    call    {enter_interrupt}
    test    rax, rax
    jz      idle
    jmp     run
1:  lea     rdi, [rsp + {ENTRY} - {R15}]
    jmp     2f
// Nothing can be trusted except what is printed now.
trap_fatal:
    mov     rdi, rsp
2:  lea     rsp, [rip + kernel_stack_top - {EMERGENCY_OFFSET}]
    call    {panic_in_kernel}

.section .bss.trap, "aw", @nobits
    .balign 8
// The stack pointer of the program, while there is no other place for it.
user_stack:
    .skip   8
