/* The firmware of the simulated core: enters the kernel's loader in supervisor mode, and serves its calls.
 *
 * It answers SBI calls (RISC-V Supervisor Binary Interface Specification 2.0): `set_timer` of TIME and of the legacy
 * interface, legacy `console_putchar`, and legacy `shutdown`. Legacy calls preserve a1. With several HARTS it also answers
 * `hart_start`, `hart_stop` and `hart_get_status` of HSM and `send_ipi`; all but hart 0 are stopped at first. It emulates reads
 * of `time`, a register that the core lacks, and forwards other illegal instructions. All further exceptions go to supervisor
 * mode directly. */

.equ MEMORY, 0x80000000
.equ LOADER, 0x90000000
.equ MSIP, 0x02000000
.equ MTIMECMP, 0x02004000
.equ MTIME, 0x0200bff8
.equ SERIAL, 0x10000000
/* A store here ends the simulation. */
.equ POWER, 0x10010000

.equ LEGACY_SET_TIMER, 0
.equ LEGACY_PUTCHAR, 1
.equ LEGACY_SHUTDOWN, 8
.equ EXTENSION_TIME, 0x54494d45
.equ EXTENSION_HSM, 0x48534d
.equ EXTENSION_IPI, 0x735049
.equ NOT_SUPPORTED, -2
.equ INVALID_PARAMETER, -3
.equ ALREADY_AVAILABLE, -6

/* States of a hart, as `hart_get_status` returns them. It is started in state 0. */
.equ STOPPED, 1
.equ START_PENDING, 2
.equ STOP_PENDING, 3

/* A hart's line of memory: three saved registers, its state, and where it starts with which second argument. */
.equ HART_SHIFT, 6
.equ STATE, 24
.equ ENTRY, 32
.equ ARGUMENT, 40

.equ SUPERVISOR_TIMER, 1 << 5
.equ SUPERVISOR_SOFTWARE, 1 << 1
.equ MACHINE_SOFTWARE, 1 << 3
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
    la      t0, harts
#if HARTS > 1
    csrr    t1, mhartid
    slli    t1, t1, HART_SHIFT
    add     t0, t0, t1
#endif
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
#if HARTS > 1
    csrr    t2, mhartid
    slli    t2, t2, 3
    add     t1, t1, t2
    sd      t0, 0(t1)
    bnez    t2, stopped
    li      t0, MACHINE_SOFTWARE
    csrw    mie, t0
#else
    sd      t0, 0(t1)
    csrw    mie, zero
#endif
    csrw    satp, zero
    li      t0, MSTATUS_MPP_SUPERVISOR
    csrw    mstatus, t0
    li      t0, LOADER
    csrw    mepc, t0
    csrr    a0, mhartid
    /* a1 is the device tree of the boot ROM. */
    mret

#if HARTS > 1
/* Waits until another hart starts this one, which its software interrupt shows. */
stopped:
    csrr    t0, mscratch
    li      t1, MACHINE_SOFTWARE
    csrw    mie, t1
    csrw    mip, zero
1:  wfi
    csrr    t1, mip
    andi    t1, t1, MACHINE_SOFTWARE
    beqz    t1, 1b
    call    end_software_interrupt
    fence
    ld      t1, STATE(t0)
    li      t2, START_PENDING
    bne     t1, t2, 1b
    fence.i
    sfence.vma
    csrw    satp, zero
    li      t1, MSTATUS_MPP_SUPERVISOR
    csrw    mstatus, t1
    ld      t1, ENTRY(t0)
    csrw    mepc, t1
    ld      a1, ARGUMENT(t0)
    csrr    a0, mhartid
    sd      zero, STATE(t0)
    mret

/* Ends this hart's software interrupt; changes t1 and t2. */
end_software_interrupt:
    csrr    t1, mhartid
    slli    t1, t1, 2
    li      t2, MSIP
    add     t2, t2, t1
    sw      zero, 0(t2)
    ret
#endif

.balign 4
trap:
    csrrw   sp, mscratch, sp
    sd      t0, 0(sp)
    sd      t1, 8(sp)
    sd      t2, 16(sp)
    csrr    t0, mcause
    bltz    t0, interrupt
    addi    t0, t0, -ILLEGAL_INSTRUCTION
    beqz    t0, illegal_instruction

call:
    csrr    t0, mepc
    addi    t0, t0, 4
    csrw    mepc, t0
    li      t0, EXTENSION_TIME
    beq     a7, t0, set_timer
#if HARTS > 1
    li      t0, EXTENSION_IPI
    beq     a7, t0, send_ipi
    li      t0, EXTENSION_HSM
    beq     a7, t0, hart_state
#endif
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
#if HARTS > 1
    csrr    t1, mhartid
    slli    t1, t1, 3
    add     t0, t0, t1
#endif
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

#if HARTS > 1
/* Harts from a1 whose bits a0 has; all harts if a1 is -1. */
send_ipi:
    li      t0, -1
    bne     a1, t0, 1f
    li      a0, (1 << HARTS) - 1
    li      a1, 0
1:  li      t0, HARTS
    bgeu    a1, t0, invalid
    sll     a0, a0, a1
    srli    t1, a0, HARTS
    bnez    t1, invalid
    /* What the caller has stored comes first. */
    fence
    li      t0, MSIP
    li      t2, 1
2:  andi    t1, a0, 1
    beqz    t1, 3f
    sw      t2, 0(t0)
3:  addi    t0, t0, 4
    srli    a0, a0, 1
    bnez    a0, 2b
    li      a1, 0
    j       return

invalid:
    li      a0, INVALID_PARAMETER
    li      a1, 0
    j       return

/* t0 gets the line of hart a0. */
hart_state:
    li      t0, 1
    beq     a6, t0, hart_stop
    li      t0, HARTS
    bgeu    a0, t0, invalid
    la      t0, harts
    slli    t1, a0, HART_SHIFT
    add     t0, t0, t1
    beqz    a6, hart_start
    li      t1, 2
    bne     a6, t1, unsupported
    ld      a1, STATE(t0)
    li      a0, 0
    j       return

unsupported:
    li      a0, NOT_SUPPORTED
    li      a1, 0
    j       return

/* One hart at most starts another: STOP_PENDING keeps others out until all is written. */
hart_start:
    addi    t1, t0, STATE
1:  lr.d    t2, (t1)
    addi    t2, t2, -STOPPED
    bnez    t2, available
    li      t2, STOP_PENDING
    sc.d    t2, t2, (t1)
    bnez    t2, 1b
    sd      a1, ENTRY(t0)
    sd      a2, ARGUMENT(t0)
    li      t2, START_PENDING
    fence
    sd      t2, STATE(t0)
    fence
    li      t0, MSIP
    slli    t1, a0, 2
    add     t0, t0, t1
    li      t1, 1
    sw      t1, 0(t0)
    li      a0, 0
    li      a1, 0
    j       return

available:
    li      a0, ALREADY_AVAILABLE
    li      a1, 0
    j       return

hart_stop:
    li      t0, STOPPED
    sd      t0, STATE(sp)
    csrw    mscratch, sp
    j       stopped

/* From another hart: the interrupt of supervisor mode is pending until its owner ends it. */
software_interrupt:
    mv      t0, ra
    call    end_software_interrupt
    mv      ra, t0
    li      t0, SUPERVISOR_SOFTWARE
    csrs    mip, t0
    j       return
#endif

interrupt:
#if HARTS > 1
    andi    t0, t0, 4
    beqz    t0, software_interrupt
#endif
    /* The deadline has passed: the interrupt of supervisor mode is pending until the next one is set. */
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

#if HARTS > 1
.balign 1 << HART_SHIFT
harts:
    .zero 1 << HART_SHIFT
    .rept HARTS - 1
    .zero STATE
    .dword STOPPED
    .zero (1 << HART_SHIFT) - STATE - 8
    .endr
#else
.balign 8
harts:
    .zero 24
#endif
