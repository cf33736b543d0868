// Entry from user mode and return to it.
//
// While a program runs, `task` holds the end of its thread's context. A trap frame is pushed there; the system-call
// entry stores to it, because the processor pushes nothing. Either saves every register except the bases of fs and gs,
// then calls Rust on the kernel stack. Rust returns the context to run. The bases are switched only if that is another
// context. The kind of entry determines which registers the return must load.
//
// All of it is assembled twice. The plain way has the kernel mapped in every address space, and `task` is the
// processor's task state, so that the processor itself pushes into the context. The switched way loads the kernel's
// page tables first and the program's last (see entry_area.rs). Boot installs one of them; neither tests for it.

// Every entry uses rsp as its scratch register, because the program's stack pointer is saved elsewhere.
.macro load_kernel_tables
    mov     rsp, [rip + {stacks} + {KERNEL_SPACE}]
    mov     cr3, rsp
.endm

// Switches to the kernel stack, and loads the first argument of every entry.
.macro enter_kernel_stack
    lea     rsp, [rip + kernel_stack_top]
    lea     rdi, [rip + {kernel}]
.endm

// Goes to `label` unless rax, the context to run or zero, is the context that was entered from.
.macro if_other_thread label
    lea     rcx, [rax + {END}]
    cmp     rcx, [rip + {task} + {STACK}]
    jne     \label
.endm

// One entry point per vector. An exception stub pushes an error code, if the processor does not, and the vector. An
// interrupt stub pushes its vector as a signed byte, for short code; `interrupt_entry` derives both words from it.
.macro trap_stubs way
.global trap_stubs_\way
trap_stubs_\way:
    .set number, 0
    .rept {FIRST_INTERRUPT}
    .org    trap_stubs_\way + {EXCEPTION_STUB_BYTES} * number
    .if number != 8 && (number < 10 || number > 14) && number != 17 && number != 21 && number != 29 && number != 30
    push    0
    .endif
    push    number
    // These can occur at any time and have their own stack.
    .if number == 1
    jmp     trap_debug_\way
    .elseif number == 2 || number == 8 || number == 18
    jmp     trap_fatal_\way
    .else
    jmp     trap_entry_\way
    .endif
    .set number, number + 1
    .endr
    .rept 256 - {FIRST_INTERRUPT}
    .org    trap_stubs_\way + {INTERRUPT_STUBS} + {INTERRUPT_STUB_BYTES} * (number - {FIRST_INTERRUPT})
    .if number < 128
    push    number
    .else
    push    number - 256
    .endif
    jmp     interrupt_entry_\way
    .set number, number + 1
    .endr
.endm

// For a system call: saves the registers that are not saved yet.
.macro store_other_registers
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
.endm

// For a trap: pushes the registers after rdx that compiled code may change, or all after rdx; pops the first, and rax to rdx.
.macro push_changed_registers
    push    rsi
    push    rdi
    push    r8
    push    r9
    push    r10
    push    r11
.endm
.macro push_other_registers
    push_changed_registers
    push    rbx
    push    rbp
    push    r12
    push    r13
    push    r14
    push    r15
.endm
.macro pop_changed_registers
    pop     r11
    pop     r10
    pop     r9
    pop     r8
    pop     rdi
    pop     rsi
    pop     rdx
    pop     rcx
    pop     rax
.endm

// Clears the flags that compiled code expects clear: direction, and AC, which overrides SMAP and opens user memory to
// the kernel (SDM, volume 3, 4.6). Not every processor has `clac`. The frame starts `pushed` bytes above the stack
// pointer; the word below that is free.
.equ AC_BYTE, 2
.equ AC_BIT, 1 << (18 - 8 * AC_BYTE)
.macro clear_flags pushed=0
    cld
    test    byte ptr [rsp + {RFLAGS} - {ENTRY} + AC_BYTE + \pushed], AC_BIT
    jz      1f
    push    2
    popfq
1:
.endm

// Pushes the frame of the processor and the stub, which is on the stack with this end.
.macro push_frame end
    .set    position, {END} - 8
    .rept   ({END} - {ENTRY}) / 8
    push    qword ptr [rip + {stacks} + \end - {END} + position]
    .set    position, position - 8
    .endr
.endm

// Loads the operands of `sysretq` and the other registers from the context in rax.
.macro load_for_sysret way
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
.ifc \way, switched
    mov     [rip + {stacks} + {PARKED}], rsp
    mov     rsp, [rax + {SPACE}]
    mov     rax, [rax + {RAX}]
    mov     cr3, rsp
    mov     rsp, [rip + {stacks} + {PARKED}]
.else
    mov     rax, [rax + {RAX}]
.endif
.endm

// Loads the registers from the context in rax, and leaves rsp at the frame for `iretq`.
.macro load_for_iret way
.ifc \way, switched
    lea     rsp, [rip + {stacks} + {ENTRY_END}]
    .set    position, {END} - 8
    .rept   ({END} - {RIP}) / 8
    push    qword ptr [rax + position]
    .set    position, position - 8
    .endr
.endif
    lea     rsp, [rax + {R15}]
    pop     r15
    pop     r14
    pop     r13
    pop     r12
    pop     rbp
    pop     rbx
    pop_changed_registers
.ifc \way, switched
    mov     rsp, [rsp + {SPACE} - {ENTRY}]
    mov     cr3, rsp
    lea     rsp, [rip + {stacks} + {ENTRY_END} - ({END} - {RIP})]
.else
    add     rsp, {RIP} - {ENTRY}
.endif
.endm

// Returns to the context in rax; `load` loads its registers. The program's stamp goes to rdx and rax, which are read
// last.
.macro ask_and_return load, way, instruction
    mov     r15, rax
    lea     rdi, [rip + {kernel}]
    call    {exit_stamp}
    cmp     al, {STAMP_PLAIN}
    mov     rax, r15
    je      1f
    ja      2f
    \load \way
    \instruction
1:  \load \way
    rdtsc
    \instruction
2:  \load \way
    lfence
    rdtsc
    \instruction
.endm

// Serves a system call with `function`.
.macro serve function, way
    call    \function
    if_other_thread syscall_switch_\way
    jmp     syscall_return_\way
.endm

.macro ways_in_and_out way
// rcx: the program counter; r11: the flags. rsp is still the program's.
.balign 16
.global trap_syscall_\way
trap_syscall_\way:
    static_jump_if_on {PROBING}, 0, probed_syscall_\way, rsp
    mov     [rip + {stacks} + {PARKED}], rsp
.ifc \way, switched
    load_kernel_tables
.endif
    mov     rsp, [rip + {task} + {STACK}]
    mov     [rsp + {RIP} - {END}], rcx
    mov     [rsp + {RFLAGS} - {END}], r11
    mov     rcx, [rip + {stacks} + {PARKED}]
    mov     [rsp + {RSP} - {END}], rcx
    mov     [rsp + {RAX} - {END}], rax
    mov     [rsp + {RDX} - {END}], rdx
    store_other_registers
    enter_kernel_stack
    cmp     rdx, -{CALL}
    je      trap_call_\way
    cmp     rdx, -{REPLY_RECV}
    je      trap_reply_recv_\way
    cmp     rdx, -{SEND}
    je      trap_send_\way
    cmp     rdx, -{RECV}
    je      trap_recv_\way
    mov     rsi, rdx
    call    {enter_syscall}
    jmp     trap_served_\way
trap_send_\way:
    call    {serve_send}
trap_served_\way:
    if_other_thread syscall_switch_\way

// rax: the context to run. rbx, rbp and r12 to r14 are the program's: Rust preserves them, or `run` has loaded them.
syscall_return_\way:
    static_jump_if_on {PROBING}, 0, probed_syscall_return_\way, rcx
    load_for_sysret \way
    sysretq

trap_recv_\way:
    serve   {serve_recv}, \way
trap_call_\way:
    serve   {serve_call}, \way
trap_reply_recv_\way:
    serve   {serve_reply_recv}, \way

syscall_switch_\way:
    mov     rdx, [rip + {task} + {STACK}]
    mov     qword ptr [rdx + {ENTRY} - {END}], {SYSCALL}
// rdx: the end of the context to switch from.
leave_\way:
    rdfsbase r8
    rdgsbase r9
    mov     [rdx + {FS_BASE} - {END}], r8
    mov     [rdx + {GS_BASE} - {END}], r9
    test    rax, rax
    jz      idle
run_\way:
    lea     rcx, [rax + {END}]
    mov     [rip + {task} + {STACK}], rcx
    mov     r8, [rax + {FS_BASE}]
    mov     r9, [rax + {GS_BASE}]
    wrfsbase r8
    wrgsbase r9
    cmp     qword ptr [rax + {ENTRY}], {SYSCALL}
    jne     trap_restore_\way
    // The program counter is canonical, because no thread can make a system call in the last page of user addresses.
    // `sysret` to a non-canonical one would fault in the kernel, on the program's stack.
    mov     rbx, [rax + {RBX}]
    mov     rbp, [rax + {RBP}]
    mov     r12, [rax + {R12}]
    mov     r13, [rax + {R13}]
    mov     r14, [rax + {R14}]
    jmp     syscall_return_\way

// A debug exception in the kernel may come while rsp is the program's. One in a program continues as other traps do.
trap_debug_\way:
    test    byte ptr [rsp + {CS} - {ENTRY}], 3
    jz      trap_fatal_\way
.ifc \way, switched
    lea     rsp, [rip + {stacks} + {ENTRY_END}]
.else
    mov     rsp, [rip + {task} + {STACK}]
.endif
    push_frame {EMERGENCY_END}
    jmp     trap_entry_\way

interrupt_entry_\way:
    push    qword ptr [rsp]
// The pushed word has the vector in its lowest byte; the word above it is an error code.
trap_entry_\way:
    static_jump_if_on {PROBING}, 0, probed_entry_\way, rsp
    test    byte ptr [rsp + {CS} - {ENTRY}], 3
    jz      trap_from_kernel_\way
.ifc \way, switched
    load_kernel_tables
    mov     rsp, [rip + {task} + {STACK}]
    push_frame {ENTRY_END}
.endif
    clear_flags
    push    rax
    push    rcx
    push    rdx
    push_other_registers
    movzx   esi, byte ptr [rsp + {ENTRY} - {R15}]
    cmp     esi, {FIRST_INTERRUPT}
    jae     trap_interrupt_\way
    mov     rdx, [rsp + {ENTRY} + 8 - {R15}]
    mov     rcx, cr2
    enter_kernel_stack
    call    {enter_fault}
    jmp     trap_return_\way
trap_interrupt_\way:
    enter_kernel_stack
    call    {enter_interrupt}
trap_return_\way:
    if_other_thread trap_switch_\way
trap_restore_\way:
    static_jump_if_on {PROBING}, 0, probed_return_\way, rcx
    load_for_iret \way
    iretq

trap_switch_\way:
    mov     rdx, [rip + {task} + {STACK}]
    jmp     leave_\way

// The same with probing on: the counter is read as soon as rax and rdx are saved, and goes to rdx.
.balign 16
probed_syscall_\way:
    mov     [rip + {stacks} + {PARKED_RAX}], rax
    mov     [rip + {stacks} + {PARKED_RDX}], rdx
    rdtsc
    mov     [rip + {stacks} + {PARKED}], rsp
    shl     rdx, 32
    or      rdx, rax
.ifc \way, switched
    load_kernel_tables
.endif
    mov     rsp, [rip + {task} + {STACK}]
    mov     [rsp + {RIP} - {END}], rcx
    mov     [rsp + {RFLAGS} - {END}], r11
    store_other_registers
    mov     rcx, [rip + {stacks} + {PARKED}]
    mov     [rsp + {RSP} - {END}], rcx
    mov     rcx, [rip + {stacks} + {PARKED_RAX}]
    mov     [rsp + {RAX} - {END}], rcx
    mov     rsi, [rip + {stacks} + {PARKED_RDX}]
    mov     [rsp + {RDX} - {END}], rsi
    xor     ecx, ecx
    mov     [rip + {stacks} + {PARKED_RAX}], rcx
    mov     [rip + {stacks} + {PARKED_RDX}], rcx
    enter_kernel_stack
    call    {enter_probed_syscall}
    if_other_thread syscall_switch_\way
    jmp     syscall_return_\way

// The two words below the stack pointer are where rax and rdx are pushed otherwise.
probed_entry_\way:
    mov     [rsp - 8], rax
    mov     [rsp - 24], rdx
    rdtsc
    test    byte ptr [rsp + {CS} - {ENTRY}], 3
    jz      probed_from_kernel_\way
    shl     rdx, 32
    or      rdx, rax
.ifc \way, switched
    load_kernel_tables
    mov     rsp, [rip + {task} + {STACK}]
    push_frame {ENTRY_END}
    push    qword ptr [rip + {stacks} + {ENTRY_END} - ({END} - {ENTRY}) - 8]
    push    rcx
    push    qword ptr [rip + {stacks} + {ENTRY_END} - ({END} - {ENTRY}) - 24]
    mov     qword ptr [rip + {stacks} + {ENTRY_END} - ({END} - {ENTRY}) - 8], 0
    mov     qword ptr [rip + {stacks} + {ENTRY_END} - ({END} - {ENTRY}) - 24], 0
.else
    mov     [rsp - 16], rcx
    sub     rsp, 24
.endif
    clear_flags 24
    push_other_registers
    mov     r8, rdx
    movzx   esi, byte ptr [rsp + {ENTRY} - {R15}]
    mov     rdx, [rsp + {ENTRY} + 8 - {R15}]
    mov     rcx, cr2
    enter_kernel_stack
    call    {enter_probed}
    jmp     trap_return_\way

// Not recorded: restores the registers.
probed_from_kernel_\way:
    mov     rax, [rsp - 8]
    mov     rdx, [rsp - 24]
    jmp     trap_from_kernel_\way

probed_syscall_return_\way:
    ask_and_return load_for_sysret, \way, sysretq

probed_return_\way:
    ask_and_return load_for_iret, \way, iretq

// An interrupt ends idling or interrupts work; anything else is a kernel bug. A bug may occur on the program's page
// tables: the last instructions of the switched way run on them.
trap_from_kernel_\way:
    cmp     dword ptr [rsp], {FIRST_INTERRUPT}
    jb      trap_fatal_\way
    push    rax
    lea     rax, [rip + kernel_stack_top - {IDLE_FRAME}]
    cmp     rsp, rax
    jne     trap_from_work_\way
    movzx   esi, byte ptr [rsp + 8]
.ifc \way, switched
    load_kernel_tables
.endif
    enter_kernel_stack
    call    {enter_interrupt}
    test    rax, rax
    jz      idle
    jmp     run_\way

// The stack of the work holds its rax, and the frame that a trap from a program would push into the context.
trap_from_work_\way:
    mov     rax, [rip + {task} + {STACK}]
    mov     [rax + {RCX} - {END}], rcx
    mov     [rax + {RDX} - {END}], rdx
    mov     [rax + {R11} - {END}], r11
    .set    position, 0
    .rept   ({END} - {ENTRY}) / 8
    mov     rcx, [rsp + 8 + position]
    mov     [rax + {ENTRY} - {END} + position], rcx
    .set    position, position + 8
    .endr
    pop     rcx
    mov     [rax + {RAX} - {END}], rcx
    mov     rsp, rax
    store_other_registers
    movzx   esi, byte ptr [rax + {ENTRY} - {END}]
.ifc \way, switched
    load_kernel_tables
.endif
    cld
    enter_kernel_stack
    call    {enter_interrupt}
    jmp     trap_return_\way

// Starts work, on its own stack. rdi: the task. The report stays on this stack until the kernel has read it.
.global work_entry_\way
work_entry_\way:
    sub     rsp, {RESULT_BYTES}
    mov     rsi, rsp
    call    {run_work}
    cli
    mov     rsi, rsp
    enter_kernel_stack
    call    {finish_work}
    test    rax, rax
    jz      idle
    jmp     run_\way

// No state is trustworthy, so all that is left is to report the exception. The direction flag may be a program's, and
// compiled code expects it clear. This load of cr3 is right with and without
// identifiers, and at any time during boot.
trap_fatal_\way:
    cld
.ifc \way, switched
    mov     eax, offset {kernel_table} - {LOAD_OFFSET}
    mov     cr3, rax
.endif
    mov     rdi, rsp
    lea     rsp, [rip + kernel_stack_top - {EMERGENCY_OFFSET}]
    call    {panic_in_kernel}

// void trap_start(rdi: context or zero): leaves boot and runs the first thread.
.global trap_start_\way
trap_start_\way:
    mov     rax, rdi
    test    rax, rax
    jz      idle
    jmp     run_\way
.endm

.section .text.trap, "ax"
    ways_in_and_out plain
    trap_stubs plain

// A breakpoint with several processors. While code is written that others execute, it may stand for a branch on a key. A
// program repeats its instruction until there is no breakpoint; interrupts are on between. The kernel goes on at once, as
// the processor that writes the code may wait for this one. This may come at any time: also before the kernel has a stack, or
// with the program's flags.
.equ CHANGED, 9 * 8
.section .text.shared_breakpoint, "ax"
.global shared_breakpoint
shared_breakpoint:
    push    0
    push    {BREAKPOINT}
    test    byte ptr [rsp + {CS} - {ENTRY}], 3
    jz      1f
    cmp     byte ptr [rip + {HAS_STEPS}], 0
    je      trap_debug_plain
    // A program's own may have two bytes: `int` and the vector, which no branch starts with. The program has just fetched
    // this byte, so it is mapped; AC opens it to the kernel.
    push    rax
    mov     rax, [rsp + {RIP} - {ENTRY} + 8]
    push    2 | AC_BIT << (8 * AC_BYTE)
    popfq
    movzx   eax, byte ptr [rax - 1]
    push    2
    popfq
    cmp     al, {BREAKPOINT}
    pop     rax
    je      trap_debug_plain
    dec     qword ptr [rsp + {RIP} - {ENTRY}]
    jmp     2f
1:  cld
    push    rax
    push    rcx
    push    rdx
    push_changed_registers
    mov     rdi, [rsp + {RIP} - {ENTRY} + CHANGED]
    call    {past_breakpoint}
    test    rax, rax
    jz      3f
    mov     [rsp + {RIP} - {ENTRY} + CHANGED], rax
    pop_changed_registers
2:  add     rsp, {RIP} - {ENTRY}
    iretq
3:  add     rsp, CHANGED
    jmp     trap_fatal_plain

.section .text.trap, "ax"
// No thread is ready. The kernel takes interrupts only here, and never returns here from one.
idle:
    lea     rsp, [rip + kernel_stack_top]
1:  sti
    hlt
    jmp     1b

// Whole pages, because programs' page tables map them.
.section .text.entry_area, "ax"
.balign {PAGE_BYTES}
.global entry_area_text
entry_area_text:
    trap_stubs switched
    ways_in_and_out switched
.balign {PAGE_BYTES}
.global entry_area_text_end
entry_area_text_end:
