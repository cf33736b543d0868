// The first instructions of Limen. The firmware (SBI) enters at the loader's first byte, in supervisor mode with the
// MMU off, on one hart; a0: that hart's number, a1: the address of the device tree. The firmware keeps the other harts.
//
// Firmware may let in a further hart here too: OpenSBI up to version 1.1 marks a hart as started before it records where, and a
// hart that looks in between goes where the first one went. Such a hart stops, and the kernel starts it again.

.equ PAGE_BYTES, 0x1000
// SBI: stops the calling hart; of the extension for hart state management, "HSM".
.equ EXTENSION_HART_STATE, 0x48534d
.equ FUNCTION_STOP, 1

// a0: top table.
.macro turn_on_mmu
    srli    a0, a0, {PAGE_BITS}
    li      t0, {SATP_SV39}
    or      a0, a0, t0
    sfence.vma
    csrw    satp, a0
    sfence.vma
.endm

.section .text.start, "ax"
.global _start
_start:
    // Boot is measured from here; only firmware could reset the counter.
    rdcycle s0
    csrw    sie, zero
    // The lowest word of the stack, which is not used as such.
    lla     t0, stack_end
    li      t1, 1
    amoswap.w t1, t1, (t0)
    bnez    t1, stop_hart
    mv      s1, a0
    mv      s3, a1
    lla     sp, stack_top
    lla     s2, __image_end
    mv      a0, s2
    lla     a1, tables
    lla     a2, _start
    lla     a3, __code_end
    call    {build_tables}
    beqz    a0, stop

    turn_on_mmu

    ld      a0, {PLAN_IMAGE}(s2)
    ld      t0, {PLAN_ENTRY}(s2)
    mv      a1, s1
    mv      a2, s0
    ld      a3, {PLAN_SERIAL_KIND}(s2)
    mv      a4, s3
    lla     a5, further
    jr      t0

// A further hart, which the kernel has started through the firmware. a1: top table of its kernel, with the identity map.
further:
    csrw    sie, zero
    mv      a0, a1
    turn_on_mmu
    lla     s2, __image_end
    mv      a0, zero
    ld      t0, {PLAN_ENTRY}(s2)
    jr      t0

stop_hart:
    li      a7, EXTENSION_HART_STATE
    li      a6, FUNCTION_STOP
    ecall

stop:
    wfi
    j       stop
