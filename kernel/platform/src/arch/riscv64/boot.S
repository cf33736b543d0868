// The kernel's first instructions. The loader enters with the MMU on and interrupts off; a0: physical address of the
// boot image, a1: number of this hart, a2: the cycle count at the loader's first instruction, a3: driver of the mapped
// serial port, a4: physical address of the device tree, a5: physical address at which the loader lets in further harts. On
// those a0 is zero, and the others are unused.

.equ PAGE_BYTES, 0x1000
// scounteren: user mode may read `time`.
.equ COUNTER_TIME, 1 << 1
// sstatus: the return from a trap enters user mode with interrupts on and floating point off.
.equ SSTATUS_SPIE, 1 << 5

// Clears registers in order. The first that the processor lacks traps and skips the rest. The trap changes sstatus,
// which is set afterwards.
.macro clear_where_implemented registers:vararg
    lla     t0, 1f
    csrw    stvec, t0
    .irp    register, \registers
    csrw    \register, zero
    .endr
    .balign 4
1:
.endm

.section .text.start, "ax"
.global _start
_start:
    lla     sp, kernel_stack_top
    // Firmware may have left these in any state: senvcfg (cache blocks, shadow stacks, pointer masking) and sstateen0
    // to sstateen3 (state that the kernel does not switch). Old assemblers need the numbers.
    clear_where_implemented 0x10a
    clear_where_implemented 0x10c, 0x10d, 0x10e, 0x10f
    lla     t0, trap_entry
    csrw    stvec, t0
    // Zero means that the kernel is running.
    csrw    sscratch, zero
    csrw    sie, zero
    li      t0, SSTATUS_SPIE
    csrw    sstatus, t0
    csrwi   scounteren, COUNTER_TIME
    beqz    a0, 1f
    mv      s1, a0
    mv      s2, a1
    mv      s3, a2
    mv      s4, a3
    mv      s5, a4
    mv      s6, a5
    lla     a0, __zero_start
    lla     a1, __zero_end
    call    clear_pages
    mv      a0, s1
    mv      a1, s2
    mv      a2, s3
    mv      a3, s4
    mv      a4, s5
    mv      a5, s6
    mv      s0, zero
    call    {start}
1:  mv      s0, zero
    call    {further}

// clear_pages(a0: start, a1: end), both page-aligned, start below end.
.global clear_pages
clear_pages:
    // Store offsets reach 2048 bytes below and above the base.
    li      t0, PAGE_BYTES
    addi    a0, a0, 2047
    addi    a0, a0, 1
    // One page per iteration: boot is measured in instructions.
1:  .set    offset, -2048
    .rept   PAGE_BYTES / 8
    sd      zero, offset(a0)
    .set    offset, offset + 8
    .endr
    add     a0, a0, t0
    bltu    a0, a1, 1b
    ret
