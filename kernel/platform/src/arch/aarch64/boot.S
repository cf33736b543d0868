// The kernel's first instructions. The loader enters with the MMU on, interrupts masked and SP_EL1 selected. x0:
// physical address of the boot image, x1: driver of the mapped serial port, x2: the value that the boot loader passed
// in x0, x3: physical address at which the loader lets in further processors. On those x0 is zero, and the others are unused.

// DCZID_EL0: `dc zva` is allowed and clears 64 bytes.
.equ DCZID_BLOCKS_OF_64, 4
.equ PAGE_BYTES, 0x1000
// MDSCR_EL1: traps user accesses to the debug communications channel. All programs would share its flags.
.equ MDSCR_NO_USER_CHANNEL, 1 << 12

// Clears a register if this field of an identification register is not zero.
.macro clear_where_implemented register, identification, shift
    mrs     x9, \identification
    ubfx    x9, x9, #\shift, #4
    cbz     x9, 1f
    msr     \register, xzr
1:
.endm

.section .text.start, "ax"
.global _start
_start:
    adrp    x9, kernel_stack_top
    add     x9, x9, :lo12:kernel_stack_top
    mov     sp, x9
    // Trap entry takes the kernel's stack pointer from here.
    msr     tpidr_el1, x9
    adrp    x9, trap_vectors
    add     x9, x9, :lo12:trap_vectors
    msr     vbar_el1, x9
    // Floating point traps from user mode; debug exceptions and user access to the PMU counters are off.
    mov     x9, #{FPU_OFF}
    msr     cpacr_el1, x9
    mov     x9, #MDSCR_NO_USER_CHANNEL
    msr     mdscr_el1, x9
    msr     pmuserenr_el0, xzr
    // Firmware may have left these in any state. Old assemblers need the encodings: AMUSERENR_EL0 (activity monitors),
    // TCR2_EL1 (other meanings of page-table entries), GCSCRE0_EL1 (guarded control stacks).
    clear_where_implemented s3_3_c13_c2_3, id_aa64pfr0_el1, 44
    clear_where_implemented s3_0_c2_c0_3, s3_0_c0_c7_3, 0
    clear_where_implemented s3_0_c2_c5_2, id_aa64pfr1_el1, 44
    isb
    cbz     x0, 1f
    mov     x19, x0
    mov     x20, x1
    mov     x21, x2
    mov     x22, x3
    adrp    x0, __zero_start
    adrp    x1, __zero_end
    bl      clear_pages
    mov     x0, x19
    mov     x1, x20
    mov     x2, x21
    mov     x3, x22
    mov     x29, xzr
    mov     x30, xzr
    bl      {start}
1:  mov     x29, xzr
    mov     x30, xzr
    bl      {further}

// clear_pages(x0: start, x1: end), both page-aligned, start below end.
.global clear_pages
clear_pages:
    mrs     x2, dczid_el0
    cmp     x2, #DCZID_BLOCKS_OF_64
    b.ne    2f
    // One page per iteration: boot is measured in instructions.
1:  .rept   PAGE_BYTES / 64
    dc      zva, x0
    add     x0, x0, #64
    .endr
    cmp     x0, x1
    b.lo    1b
    ret
2:  stp     xzr, xzr, [x0], #16
    cmp     x0, x1
    b.lo    2b
    ret

// write_back_lines(x0: start, x1: end), start below end.
.global write_back_lines
write_back_lines:
    mrs     x2, ctr_el0
    ubfx    x2, x2, #16, #4
    mov     x3, #4
    lsl     x2, x3, x2
1:  dc      civac, x0
    add     x0, x0, x2
    cmp     x0, x1
    b.lo    1b
    dsb     sy
    ret
