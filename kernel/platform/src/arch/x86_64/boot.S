// The kernel's first instructions. A Multiboot 1 loader enters in 32-bit mode without paging; eax: a magic number, ebx:
// physical address of the Multiboot information. Source: Multiboot Specification 0.6.96, part 3.

.equ MULTIBOOT_HEADER_MAGIC, 0x1badb002
// Page-aligned modules; memory information.
.equ MULTIBOOT_HEADER_FLAGS, 1 << 0 | 1 << 1

.equ CPUID_EXTENDED_FEATURES, 0x80000001
// No-execute, long mode. SYSCALL is not checked: every processor with long mode has it, but Intel's report it only in
// long mode (SDM, volume 2, CPUID, leaf 80000001h), and this code runs before.
.equ CPUID_NEEDED, 1 << 20 | 1 << 29
.equ SERIAL_DATA, 0x3f8
.equ SERIAL_LINE_STATUS, SERIAL_DATA + 5
.equ SERIAL_TRANSMIT_EMPTY, 1 << 5
.equ CR4_PAE, 1 << 5
.equ CR4_FXSAVE, 1 << 9
.equ CR4_SIMD_EXCEPTIONS, 1 << 10
.equ MSR_EFER, 0xc0000080
.equ EFER_SYSCALL, 1 << 0
.equ EFER_LONG_MODE, 1 << 8
.equ EFER_NO_EXECUTE, 1 << 11

// What a further processor needs before it has the kernel's segments.
.equ CR0_PROTECTED, 1 << 0
.equ FLAT_CODE_32, 0x00cf9b000000ffff
.equ FLAT_DATA_32, 0x00cf93000000ffff
.equ TRAMPOLINE_CODE, 8
.equ TRAMPOLINE_DATA, 16
// Offsets in the page of the trampoline: where it leaps, the address of its segments, and these.
.equ TRAMPOLINE_LEAP, 8
.equ TRAMPOLINE_POINTER, 16
.equ TRAMPOLINE_GDT, 24
.equ TRAMPOLINE_GDT_BYTES, 24

.equ TABLE_BYTES, 0x1000
.equ ENTRY_TABLE, 0x3
.equ ENTRY_LARGE_PAGE, 0x83
.equ LARGE_PAGE_BYTES, 0x200000
// The identity map: directories of large pages, one gigabyte each.
.equ IDENTITY_GIB, 4
// The entries of the kernel's addresses, the last two gigabytes.
.equ TOP_ENTRY, 511
.equ KERNEL_ENTRY, 510

// Turns on paging for long mode, with the top table at physical address eax. The code segment is still a 32-bit one.
.macro turn_on_paging
    mov     ebx, eax
    mov     eax, CR4_PAE | CR4_FXSAVE | CR4_SIMD_EXCEPTIONS
    mov     cr4, eax
    mov     cr3, ebx
    mov     ecx, MSR_EFER
    mov     eax, EFER_SYSCALL | EFER_LONG_MODE | EFER_NO_EXECUTE
    xor     edx, edx
    wrmsr
    mov     eax, {CR0}
    mov     cr0, eax
    lgdt    [early_gdt - {LOAD_OFFSET}]
.endm

// Selects the stack and the kernel's data segment.
.macro enter_high_half
    lea     rsp, [rip + kernel_stack_top]
    mov     eax, {KERNEL_DATA}
    mov     ds, eax
    mov     es, eax
    mov     ss, eax
    xor     eax, eax
    mov     fs, eax
    mov     gs, eax
.endm

.section .text.start, "ax"
.code32
.global _start
_start:
    jmp     1f
    .balign 4
    .long   MULTIBOOT_HEADER_MAGIC, MULTIBOOT_HEADER_FLAGS, -(MULTIBOOT_HEADER_MAGIC + MULTIBOOT_HEADER_FLAGS)
1:  mov     esi, eax
    rdtsc
    mov     [{boot_stamp} - {LOAD_OFFSET}], eax
    mov     [{boot_stamp} - {LOAD_OFFSET} + 4], edx
    mov     ebp, ebx
    cld
    lea     esp, [kernel_stack_top - {LOAD_OFFSET}]
    mov     eax, CPUID_EXTENDED_FEATURES
    cpuid
    and     edx, CPUID_NEEDED
    cmp     edx, CPUID_NEEDED
    jne     stop_early
    // The identity map, and the kernel at its link address: two large pages for now.
    lea     eax, [boot_low_pointers - {LOAD_OFFSET} + ENTRY_TABLE]
    mov     [boot_root - {LOAD_OFFSET}], eax
    lea     eax, [boot_high_pointers - {LOAD_OFFSET} + ENTRY_TABLE]
    mov     [boot_root - {LOAD_OFFSET} + 8 * TOP_ENTRY], eax
    lea     eax, [boot_high_directory - {LOAD_OFFSET} + ENTRY_TABLE]
    mov     [boot_high_pointers - {LOAD_OFFSET} + 8 * KERNEL_ENTRY], eax
    mov     dword ptr [boot_high_directory - {LOAD_OFFSET}], {LOAD_ADDRESS} + ENTRY_LARGE_PAGE
    mov     dword ptr [boot_high_directory - {LOAD_OFFSET} + 8], {LOAD_ADDRESS} + LARGE_PAGE_BYTES + ENTRY_LARGE_PAGE
    lea     edi, [boot_low_pointers - {LOAD_OFFSET}]
    lea     eax, [boot_directories - {LOAD_OFFSET} + ENTRY_TABLE]
    mov     ecx, IDENTITY_GIB
2:  mov     [edi], eax
    add     eax, TABLE_BYTES
    add     edi, 8
    dec     ecx
    jnz     2b
    lea     edi, [boot_directories - {LOAD_OFFSET}]
    mov     eax, ENTRY_LARGE_PAGE
    mov     ecx, IDENTITY_GIB * TABLE_BYTES / 8
3:  mov     [edi], eax
    add     eax, LARGE_PAGE_BYTES
    add     edi, 8
    dec     ecx
    jnz     3b
    lea     eax, [boot_root - {LOAD_OFFSET}]
    turn_on_paging
    push    {KERNEL_CODE}
    lea     eax, [long_mode - {LOAD_OFFSET}]
    push    eax
    retf

// Prints the missing feature on the first serial port.
stop_early:
    lea     esi, [missing_feature - {LOAD_OFFSET}]
4:  mov     edx, SERIAL_LINE_STATUS
5:  in      al, dx
    test    al, SERIAL_TRANSMIT_EMPTY
    jz      5b
    lodsb
    test    al, al
    jz      6f
    mov     edx, SERIAL_DATA
    out     dx, al
    jmp     4b
6:  cli
    hlt
    jmp     6b

missing_feature:
    .asciz  "The kernel stopped: the processor must have 64-bit mode and no-execute pages (NX).\r\n"

    .balign 8
early_gdt:
    .word   {GDT_BYTES} - 1
    .long   {tables} + {GDT} - {LOAD_OFFSET}

.code64
long_mode:
    movabs  rax, offset long_mode_high
    jmp     rax
long_mode_high:
    enter_high_half
    mov     edi, esi
    mov     esi, ebp
    xor     ebp, ebp
    call    {start}

// A further processor starts in 16-bit mode at the start of a page below 1 MiB, to which processor 0 has copied this code. It
// has no stack before it is on its own page tables.
.code16
.global trampoline
trampoline:
    jmp     1f
    .org    trampoline + TRAMPOLINE_LEAP
    .long   further_protected - {LOAD_OFFSET}
    .word   TRAMPOLINE_CODE
    .org    trampoline + TRAMPOLINE_POINTER
    .word   TRAMPOLINE_GDT_BYTES - 1
    .long   {TRAMPOLINE} + TRAMPOLINE_GDT
    .org    trampoline + TRAMPOLINE_GDT
    .quad   0, FLAT_CODE_32, FLAT_DATA_32
1:  cli
    cld
    mov     ax, cs
    mov     ds, ax
    lgdt    [TRAMPOLINE_POINTER]
    mov     eax, cr0
    or      eax, CR0_PROTECTED
    mov     cr0, eax
    jmp     fword ptr [TRAMPOLINE_LEAP]
.global trampoline_end
trampoline_end:

.code32
further_protected:
    mov     eax, TRAMPOLINE_DATA
    mov     ds, eax
    mov     eax, [{further_root} - {LOAD_OFFSET}]
    turn_on_paging
    jmp     fword ptr [further_leap - {LOAD_OFFSET}]

    .balign 8
further_leap:
    .long   further_long - {LOAD_OFFSET}
    .word   {KERNEL_CODE}
.code64
further_long:
    movabs  rax, offset further_high
    jmp     rax
further_high:
    enter_high_half
    xor     ebp, ebp
    call    {further}

// clear_pages(rdi: start, rsi: end), both page-aligned, start below end.
.global clear_pages
clear_pages:
    mov     rcx, rsi
    sub     rcx, rdi
    shr     rcx, 3
    xor     eax, eax
    rep stosq
    ret

.section .bss.tables, "aw", @nobits
    .balign TABLE_BYTES
.global boot_root
boot_root:
    .skip   TABLE_BYTES
boot_low_pointers:
    .skip   TABLE_BYTES
boot_high_pointers:
    .skip   TABLE_BYTES
boot_high_directory:
    .skip   TABLE_BYTES
boot_directories:
    .skip   IDENTITY_GIB * TABLE_BYTES
