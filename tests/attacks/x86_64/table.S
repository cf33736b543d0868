/* Attacks on x86. Source: Intel SDM, volumes 2 and 3. */

#define UNDEFINED ud2; ud2
#include "table_macros.h"

    /* Vectors. */
    .equ DIVIDE, 0
    .equ DEBUG, 1
    .equ BREAKPOINT, 3
    .equ OPCODE, 6
    .equ STACK, 12
    .equ PROTECTION, 13
    .equ FLOATING_POINT, 16
    /* Error codes that name a gate. */
    .equ GATE, 2
    /* A system call that returns at once. */
    .equ YIELD, -11

.macro refused instruction, setup
    attack EXCEPTION, PROTECTION, 0, "\instruction", "\setup"
.endm

.macro differs instruction
    attack TRAPPED, PROTECTION, 0, "\instruction"
.endm

.macro undefined instruction
    attack EXCEPTION, OPCODE, 0, "\instruction"
.endm

.macro undefined_unchecked instruction
    attack UNCHECKED, OPCODE, 0, "\instruction"
.endm

.macro refused_unchecked instruction
    attack UNCHECKED, PROTECTION, 0, "\instruction"
.endm

.macro system_call number
    attack SYSTEM_CALL, \number, 0, "syscall", "movq $\number, %rdx"
.endm

    undefined "ud2"
    undefined ".byte 0x0f, 0xb9, 0xc0"
    undefined ".byte 0x0f, 0xff, 0xc0"
    /* Opcodes removed in 64-bit mode: into, bound, push of a segment, direct far jumps, and others. */
    undefined_unchecked ".byte 0xce"
    undefined ".byte 0x62, 0x00"
    undefined ".byte 0x06"
    undefined ".byte 0x0e"
    undefined ".byte 0x9a"
    undefined ".byte 0xea"
    undefined_unchecked ".byte 0xd6"
    undefined ".byte 0x27"
    undefined "lock; nop"

    /* Control. */
    refused "hlt"
    refused "cli"
    refused "sti"
    refused "clts"
    refused_unchecked "invd"
    refused_unchecked "wbinvd"
    refused "invlpg (%rdi)"
    refused "swapgs"
    refused "sysretq"
    refused "sysretl"
    /* Undefined on one vendor's processors. */
    differs "sysexit"
    differs "sysexitq"
    differs "sysenter"
    refused "lgdt (%rdi)"
    refused "lidt (%rdi)"
    refused "lldt %di"
    refused "ltr %di"
    refused "lmsw %di"
    .irp number, cr0, cr2, cr3, cr4, cr8
    refused "movq %\number, %rax"
    refused "movq %rdi, %\number"
    .endr
    .irp number, db0, db1, db2, db3, db6, db7
    refused "movq %\number, %rax"
    refused "movq %rdi, %\number"
    .endr
    /* Control register 1, which does not exist. */
    differs ".byte 0x0f, 0x20, 0xc8"
    differs ".byte 0x0f, 0x22, 0xc8"

    /* Registers of the model: the entry point of system calls, the base of gs, the features. */
    .irp number, 0x10, 0x1b, 0x174, 0x176, 0x277, 0x6e0, 0x800, 0xc0000080, 0xc0000081, 0xc0000082, 0xc0000084, 0xc0000101, 0xc0000102, 0xffffffff
    refused "rdmsr", "movl $\number, %ecx"
    refused "wrmsr", "movl $\number, %ecx"
    .endr
    /* The counters of events. */
    refused "rdpmc", "xorl %ecx, %ecx"
    refused "rdpmc", "movl $0x40000000, %ecx"

    /* Ports. */
    .irp port, 0x20, 0x21, 0x40, 0x43, 0x60, 0x64, 0x70, 0x80, 0xcf
    refused "inb $\port, %al"
    refused "inl $\port, %eax"
    refused "outb %al, $\port"
    refused "outl %eax, $\port"
    .endr
    .irp port, 0x3f8, 0x3fd, 0xcf8, 0xcfc, 0x400, 0xffff
    refused "inb %dx, %al", "movw $\port, %dx"
    refused "inw %dx, %ax", "movw $\port, %dx"
    refused "outb %al, %dx", "movw $\port, %dx"
    refused "outl %eax, %dx", "movw $\port, %dx"
    .endr
    refused "insb"
    refused "insl"
    refused "outsb"
    refused "outsl"
    refused "rep insb"
    refused "rep outsb"

    /* Virtual machines, management mode, enclaves, extended state: absent or off. */
    undefined "vmcall"
    undefined "vmlaunch"
    undefined "vmresume"
    undefined "vmxoff"
    undefined "vmxon (%rdi)"
    undefined "vmptrld (%rdi)"
    undefined "vmptrst (%rdi)"
    undefined "vmread %rdi, %rsi"
    undefined "vmwrite %rdi, %rsi"
    undefined "invept (%rdi), %rsi"
    undefined "invvpid (%rdi), %rsi"
    undefined "vmrun"
    undefined "vmload"
    undefined "vmsave"
    undefined "stgi"
    undefined "clgi"
    undefined "skinit"
    undefined "invlpga"
    undefined "rsm"
    undefined ".byte 0x0f, 0x37"
    undefined ".byte 0x0f, 0x01, 0xcf"
    undefined ".byte 0x0f, 0x01, 0xd7"
    /* Programs may use xgetbv, xsave, xrstor and xsaveopt if the processor has them. */
    differs "xsetbv"
    undefined "xsaves (%rdi)"
    undefined "xrstors (%rdi)"
    undefined "invpcid (%rdi), %rsi"
    undefined "monitor"
    undefined "mwait"
    undefined "clac"
    undefined "stac"
    undefined "rdpkru"
    undefined "wrpkru"
    undefined "rdpid %rax"

    /* Programs may use no gate except the breakpoint gate. */
    .set vector, 0
    .rept 256
    .if vector != 3
    attack TRAPPED, PROTECTION, vector * 8 + GATE, ".byte 0xcd, vector"
    .endif
    .set vector, vector + 1
    .endr
    attack_after EXCEPTION, BREAKPOINT, 0, "int3"
    attack_after EXCEPTION, BREAKPOINT, 0, ".byte 0xcd, 3"
    /* Single step: popf sets the flag. */
    attack_after EXCEPTION, DEBUG, 0, "nop", "pushfq; orq $0x100, (%rsp); popfq"
    /* The kernel never steps: the first debug exception is the program's, after the return. */
    attack_after EXCEPTION, DEBUG, 0, "syscall", "movq $YIELD, %rdx; pushfq; orq $0x100, (%rsp); popfq"
    attack_after EXCEPTION, BREAKPOINT, 0, "int3", "pushfq; orq $0x100, (%rsp); popfq"
    attack TRAPPED, PROTECTION, 0x80 * 8 + GATE, "int $0x80", "pushfq; orq $0x100, (%rsp); popfq"
    attack SYSTEM_CALL, -1000, 0, "syscall", "movq $-1000, %rdx; movw %ss, %ax; pushfq; orq $0x100, (%rsp); popfq; movw %ax, %ss"
    attack EXCEPTION, DIVIDE, 0, "divq %rcx", "xorl %ecx, %ecx"
    attack EXCEPTION, DIVIDE, 0, "idivq %rcx", "movq $-1, %rcx; xorl %eax, %eax; movq $1, %rdx; shlq $63, %rdx"
    attack EXCEPTION, FLOATING_POINT, 0, "fwait", "fninit; movw $0x37b, (%rdi); fldcw (%rdi); fld1; fldz; fdivrp"
    attack EXCEPTION, PROTECTION, 0, "movaps 8(%rdi), %xmm0", "leaq (%rsp), %rdi; andq $-16, %rdi; subq $64, %rdi"
    attack TRAPPED, STACK, 0, "pushq %rax", "movabsq $0x0123000000000000, %rsp"
    attack TRAPPED, STACK, 0, "callq *%rdi", "movabsq $0x0123000000000000, %rsp"
    attack TRAPPED, STACK, 0, "movq (%rbp), %rax", "movabsq $0x0123000000000000, %rbp"
    refused "lock cmpxchg16b 8(%rdi)", "leaq -64(%rsp), %rdi; andq $-16, %rdi"
    undefined ".byte 0x0f, 0x0b; nop"

    /* Segments: the kernel's, null, the task segment, and segments of an LDT, which does not exist. */
    .irp selector, 0x08, 0x0b, 0x10, 0x13, 0x18, 0x1b, 0x30, 0x33, 0x38, 0x3b, 0x40, 0xfff8
    attack EXCEPTION, PROTECTION, \selector & 0xfffc, "movw %ax, %ds", "movw $\selector, %ax"
    attack EXCEPTION, PROTECTION, \selector & 0xfffc, "movw %ax, %fs", "movw $\selector, %ax"
    attack EXCEPTION, PROTECTION, \selector & 0xfffc, "lretq", "pushq $\selector; pushq $0x4000000"
    .endr
    .irp selector, 0x0c, 0x0f, 0x100f, 0x1017, 0x2007, 0xffff
    attack EXCEPTION, PROTECTION, \selector & 0xfffc, "movw %ax, %es", "movw $\selector, %ax"
    attack EXCEPTION, PROTECTION, \selector & 0xfffc, "movw %ax, %gs", "movw $\selector, %ax"
    attack EXCEPTION, PROTECTION, \selector & 0xfffc, "ljmpl *(%rdi)", "movl $0, (%rdi); movw $\selector, 4(%rdi)"
    attack EXCEPTION, PROTECTION, \selector & 0xfffc, "lcalll *(%rdi)", "movl $0, (%rdi); movw $\selector, 4(%rdi)"
    .endr
    refused "movw %ax, %ss", "xorl %eax, %eax"
    refused "lretq", "pushq $0; pushq $0x4000000"

    /* Returns from interrupts: with the kernel's segments, with none, nested, to nowhere. */
.macro interrupt_return code, cs, ss, flags=0x202, rip=0x4000000
    attack EXCEPTION, PROTECTION, \code, "iretq", "pushq $\ss; pushq $0x5001000; pushq $\flags; pushq $\cs; movabsq $\rip, %rax; pushq %rax"
.endm
    interrupt_return 0x08, 0x08, 0x10
    interrupt_return 0x08, 0x0b, 0x23
    interrupt_return 0x10, 0x2b, 0x10
    interrupt_return 0x10, 0x2b, 0x13
    interrupt_return 0x20, 0x23, 0x23
    interrupt_return 0, 0, 0x23
    interrupt_return 0, 3, 0x23
    interrupt_return 0x0c, 0x0f, 0x23
    attack EXCEPTION, PROTECTION, 0, "iretq", "pushfq; orq $0x4000, (%rsp); popfq"

    /* System calls, with any flags. */
    system_call -1000
    system_call 0
    system_call 1
    system_call 0xff
    system_call 0xffffffff
    system_call 0x7fffffffffffffff
    system_call 0x8000000000000000
    attack SYSTEM_CALL, -1000, 0, "syscall", "movq $-1000, %rdx; pushq $0x3f7fd7 - 0x100; popfq"
    attack SYSTEM_CALL, -1000, 0, "syscall", "movq $-1000, %rdx; std"
    attack SYSTEM_CALL, -1000, 0, "syscall", "movq $-1000, %rdx; pushfq; orq $0x100, (%rsp); popfq"

    /* Allowed instructions. popf cannot change the I/O privilege level or the interrupt flag. */
    allowed "rdtsc"
    allowed "cpuid"
    allowed "pushfq; orq $0x3200, (%rsp); popfq"
    allowed "xorl %eax, %eax; movw %ax, %ds"
    allowed "movw $0x23, %ax; movw %ax, %es"
    allowed "rdfsbase %rax; rdgsbase %rax"
    allowed "wrfsbase %rax; wrgsbase %rax"
    allowed "pause"
    allowed "clflush (%rdi)"

code undefined_code
    ud2
    ud2
code after_undefined_code
    ud2
    ud2
code unknown_call_code
    syscall
    nop
    nop
code after_unknown_call_code
    ud2
    ud2
code load_code
    movb (%rdi), %al
    ud2
    ud2
code store_code
    movb %al, (%rdi)
    ud2
    ud2
code jump_code
    jmpq *%rdi
code stack_code
    movb (%rsp), %al
    ud2
    ud2
code wait_code
    syscall
code after_wait_code
    ud2
    ud2
code patch_code
    ud2
    ud2
code after_patch_code
    ud2
    ud2
    end_table

    .section .note.GNU-stack, "", @progbits
