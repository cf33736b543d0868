/* The firmware of the simulated core: enters the kernel's loader in supervisor mode, and serves its calls.
 *
 * It answers SBI calls (RISC-V Supervisor Binary Interface Specification 2.0): `set_timer` of TIME and of the legacy
 * interface, legacy `console_putchar`, and legacy `shutdown`. Legacy calls preserve a1. It emulates reads of `time`, a register
 * that the core lacks, and forwards other illegal instructions. All further exceptions go to supervisor mode directly. */

.equ MEMORY, 0x80000000
.equ LOADER, 0x90000000
.equ MTIMECMP, 0x02004000
.equ MTIME, 0x0200bff8
.equ SERIAL, 0x10000000
/* A store here ends the simulation. */
.equ POWER, 0x10010000

.equ LEGACY_SET_TIMER, 0
.equ LEGACY_PUTCHAR, 1
.equ LEGACY_SHUTDOWN, 8
.equ EXTENSION_TIME, 0x54494d45
.equ NOT_SUPPORTED, -2

.equ SUPERVISOR_TIMER, 1 << 5
.equ MACHINE_TIMER, 1 << 7
/* All but illegal instructions (2) and calls from supervisor mode (9). */
.equ DELEGATED_EXCEPTIONS, 0xb1fb
/* Software, timer and external interrupts of supervisor mode. */
.equ DELEGATED_INTERRUPTS, 0x222
.equ ILLEGAL_INSTRUCTION, 2

.equ SSTATUS_SIE, 1 << 1
.equ SSTATUS_SPIE, 1 << 5
.equ SSTATUS_SPP, 1 << 8
.equ MSTATUS_MPP_SUPERVISOR, 1 << 11

.section .text
.global _start
/* The core fetches this line from the device port, and everything behind it from memory. */
_start:
    li      t0, MEMORY + 64
    jr      t0

/* At 64 bytes from the start. */
.balign 64
    la      t0, saved
    csrw    mscratch, t0
    la      t0, trap
    csrw    mtvec, t0
    /* One region with all rights over all addresses. */
    li      t0, -1
    csrw    pmpaddr0, t0
    li      t0, 0x1f
    csrw    pmpcfg0, t0
    li      t0, DELEGATED_EXCEPTIONS
    csrw    medeleg, t0
    li      t0, DELEGATED_INTERRUPTS
    csrw    mideleg, t0
    /* `cycle`, `time` and `instret` for supervisor mode. */
    li      t0, 7
    csrw    mcounteren, t0
    li      t0, -1
    li      t1, MTIMECMP
    sd      t0, 0(t1)
    csrw    mie, zero
    csrw    satp, zero
    li      t0, MSTATUS_MPP_SUPERVISOR
    csrw    mstatus, t0
    li      t0, LOADER
    csrw    mepc, t0
    csrr    a0, mhartid
    /* a1 is the device tree of the boot ROM. */
    mret

.balign 4
trap:
    csrrw   sp, mscratch, sp
    sd      t0, 0(sp)
    sd      t1, 8(sp)
    sd      t2, 16(sp)
    csrr    t0, mcause
    bltz    t0, timer_interrupt
    addi    t0, t0, -ILLEGAL_INSTRUCTION
    beqz    t0, illegal_instruction

call:
    csrr    t0, mepc
    addi    t0, t0, 4
    csrw    mepc, t0
    li      t0, EXTENSION_TIME
    beq     a7, t0, set_timer
    beqz    a7, legacy_set_timer
    li      t0, LEGACY_PUTCHAR
    beq     a7, t0, putchar
    li      t0, LEGACY_SHUTDOWN
    beq     a7, t0, shutdown
    li      a0, NOT_SUPPORTED
    li      a1, 0
    j       return

set_timer:
    li      a1, 0
legacy_set_timer:
    li      t0, MTIMECMP
    sd      a0, 0(t0)
    li      t0, SUPERVISOR_TIMER
    csrc    mip, t0
    li      t0, MACHINE_TIMER
    csrs    mie, t0
    li      a0, 0
    j       return

putchar:
    li      t0, SERIAL
    sb      a0, 0(t0)
    li      a0, 0
    j       return

shutdown:
    li      t0, POWER
    sd      zero, 0(t0)
    j       shutdown

/* The deadline has passed: the interrupt of supervisor mode is pending until the next one is set. */
timer_interrupt:
    li      t0, MACHINE_TIMER
    csrc    mie, t0
    li      t0, SUPERVISOR_TIMER
    csrs    mip, t0

return:
    ld      t0, 0(sp)
    ld      t1, 8(sp)
    ld      t2, 16(sp)
    csrrw   sp, mscratch, sp
    mret

/* `rdtime rd` is `csrrs rd, time, zero`: rd is in the bits from 7. */
illegal_instruction:
    csrr    t0, mtval
    li      t1, 0xfffff07f
    and     t1, t0, t1
    li      t2, 0xc0102073
    bne     t1, t2, forward
    srli    t0, t0, 7
    andi    t0, t0, 31
    slli    t0, t0, 3
    la      t2, write_register
    add     t2, t2, t0
    csrr    t0, mepc
    addi    t0, t0, 4
    csrw    mepc, t0
    li      t1, MTIME
    ld      t1, 0(t1)
    jr      t2

/* Two instructions for each register; those that are saved are written where they are saved. */
.option push
.option norvc
write_register:
    j       return
    nop
    mv      ra, t1
    j       return
    csrw    mscratch, t1
    j       return
    mv      gp, t1
    j       return
    mv      tp, t1
    j       return
    sd      t1, 0(sp)
    j       return
    sd      t1, 8(sp)
    j       return
    sd      t1, 16(sp)
    j       return
    .irp register, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    mv      x\register, t1
    j       return
    .endr
.option pop

/* Enters supervisor mode as the exception would have: sstatus keeps its interrupt flag and the previous mode, of which the
 * firmware sees the same in mstatus. */
forward:
    csrr    t0, mepc
    csrw    sepc, t0
    csrr    t0, mcause
    csrw    scause, t0
    csrr    t0, mtval
    csrw    stval, t0
    csrr    t0, stvec
    andi    t0, t0, -4
    csrw    mepc, t0
    csrr    t0, mstatus
    li      t1, SSTATUS_SPP | SSTATUS_SPIE
    csrc    mstatus, t1
    /* MPP is 1 for supervisor mode and 0 for user mode: its low bit, 11, becomes SPP. */
    srli    t1, t0, 3
    andi    t1, t1, SSTATUS_SPP
    csrs    mstatus, t1
    /* SIE becomes SPIE. */
    andi    t1, t0, SSTATUS_SIE
    slli    t1, t1, 4
    csrs    mstatus, t1
    csrci   mstatus, SSTATUS_SIE
    li      t1, MSTATUS_MPP_SUPERVISOR
    csrs    mstatus, t1
    j       return

.balign 8
saved:
    .zero 24
