// The first instructions of Limen. Entered at the loader's first byte, at EL2 or EL1, with the MMU off.

// PMCR_EL0: enable, reset the cycle counter, make it 64 bits wide.
.equ PMCR_ENABLE, 1 << 0
.equ PMCR_RESET_CYCLES, 1 << 2
.equ PMCR_LONG_CYCLES, 1 << 6
.equ PMCR_COUNTERS_SHIFT, 11
.equ PMCR_COUNTERS_BITS, 5
// PMCCFILTR_EL0: also count at EL2.
.equ PMCCFILTR_EL2, 1 << 27
// PMCNTENSET_EL0: enable the cycle counter.
.equ PMCNTEN_CYCLES, 1 << 31

.equ CURRENT_EL2, 2 << 2
// HCR_EL2: EL1 is AArch64; no traps.
.equ HCR_EL1_IS_AARCH64, 1 << 31
// CNTHCTL_EL2: EL1 may use the physical counter and timer.
.equ CNTHCTL_EL1_PHYSICAL, 0b11
// CPTR_EL2: bits that must be one; no traps.
.equ CPTR_RESERVED_ONE, 0x33ff
// SPSR_EL2: EL1 with SP_EL1, all exceptions masked.
.equ SPSR_EL1H_MASKED, 0b1111 << 6 | 0b0101
.equ ESR_CLASS_SHIFT, 26
.equ ESR_CLASS_HVC, 0x16

.equ PAGE_BYTES, 0x1000

.macro load_constant register, value
    movz \register, #((\value) & 0xffff)
    movk \register, #((\value) >> 16 & 0xffff), lsl #16
    movk \register, #((\value) >> 32 & 0xffff), lsl #32
    movk \register, #((\value) >> 48 & 0xffff), lsl #48
.endm

// Starts the cycle counter of this processor at zero, and masks interrupts.
.macro start_counter
    mov     x9, #PMCCFILTR_EL2
    msr     pmccfiltr_el0, x9
    mov     x9, #PMCNTEN_CYCLES
    msr     pmcntenset_el0, x9
    mov     x9, #(PMCR_ENABLE | PMCR_RESET_CYCLES | PMCR_LONG_CYCLES)
    msr     pmcr_el0, x9
    msr     daifset, #0b1111
.endm

// Continues at `target`, at EL1.
.macro leave_el2 target
    mrs     x9, currentel
    cmp     x9, #CURRENT_EL2
    b.ne    \target
    mov     x9, #HCR_EL1_IS_AARCH64
    msr     hcr_el2, x9
    mov     x9, #CNTHCTL_EL1_PHYSICAL
    msr     cnthctl_el2, x9
    msr     cntvoff_el2, xzr
    mov     x9, #CPTR_RESERVED_ONE
    msr     cptr_el2, x9
    msr     hstr_el2, xzr
    msr     vttbr_el2, xzr
    mrs     x9, pmcr_el0
    ubfx    x9, x9, #PMCR_COUNTERS_SHIFT, #PMCR_COUNTERS_BITS
    msr     mdcr_el2, x9
    mrs     x9, midr_el1
    msr     vpidr_el2, x9
    mrs     x9, mpidr_el1
    msr     vmpidr_el2, x9
    adrp    x9, el2_vectors
    add     x9, x9, :lo12:el2_vectors
    msr     vbar_el2, x9
    load_constant x9, {SCTLR_MMU_OFF}
    msr     sctlr_el1, x9
    mov     x9, #SPSR_EL1H_MASKED
    msr     spsr_el2, x9
    adr     x9, \target
    msr     elr_el2, x9
    eret
.endm

// x0: top table of the identity map, x1: that of the kernel's half.
.macro turn_on_mmu
    load_constant x9, {MAIR}
    msr     mair_el1, x9
    mrs     x10, id_aa64mmfr0_el1
    and     x10, x10, #0xf
    mov     x11, #{TCR_IPS_MAX}
    cmp     x10, x11
    csel    x10, x10, x11, lo
    load_constant x9, {TCR}
    orr     x9, x9, x10, lsl #{TCR_IPS_SHIFT}
    msr     tcr_el1, x9
    msr     ttbr0_el1, x0
    msr     ttbr1_el1, x1
    tlbi    vmalle1
    ic      iallu
    dsb     sy
    isb
    load_constant x9, {SCTLR}
    msr     sctlr_el1, x9
    isb
.endm

.section .text.start, "ax"
.global _start
_start:
    // Boot is measured from here, so starting the counter comes first.
    start_counter
    // A boot loader passes the device tree here.
    mov     x20, x0

    mrs     x9, mpidr_el1
    tst     x9, #0xff
    b.ne    stop
    leave_el2 at_el1

at_el1:
    adrp    x9, stack_top
    mov     sp, x9
    adrp    x0, __image_end
    adrp    x1, tables
    adrp    x2, _start
    adrp    x3, __code_end
    bl      {build_tables}
    cbz     x0, stop

    // The tables were written with the MMU off; after that, invalidate stale lines of them in the caches. The barrier orders
    // the stores, which no cache holds, before the invalidation.
    dmb     sy
    adrp    x9, tables
    add     x10, x9, #{TABLES_BYTES}
    mrs     x11, ctr_el0
    ubfx    x11, x11, #16, #4
    mov     x12, #4
    lsl     x11, x12, x11
1:  dc      ivac, x9
    add     x9, x9, x11
    cmp     x9, x10
    b.lo    1b

    turn_on_mmu

    adrp    x9, __image_end
    ldr     x0, [x9, #{PLAN_IMAGE}]
    ldr     x1, [x9, #{PLAN_SERIAL_KIND}]
    mov     x2, x20
    adr     x3, further
    ldr     x9, [x9, #{PLAN_ENTRY}]
    br      x9

// A further processor, which the kernel has started through the firmware. x0: top table of its kernel's half. What processor 0
// has written may be only in caches, so nothing is read before the MMU is on.
further:
    start_counter
    mov     x20, x0
    leave_el2 further_at_el1
further_at_el1:
    adrp    x0, tables
    mov     x1, x20
    turn_on_mmu
    adrp    x9, __image_end
    mov     x0, xzr
    ldr     x9, [x9, #{PLAN_ENTRY}]
    br      x9

stop:
    wfe
    b       stop

// EL2 is left permanently; nothing is configured to trap to it. Only `hvc` cannot be disabled on every processor: it
// returns "not supported" (SMC Calling Convention). Anything else stops the processor.
.macro el2_vector target
    .balign 0x80
    b       \target
.endm

    .balign 0x800
el2_vectors:
    .rept 8
    el2_vector stop
    .endr
    el2_vector from_el1
    .rept 7
    el2_vector stop
    .endr

from_el1:
    mrs     x0, esr_el2
    lsr     x0, x0, #ESR_CLASS_SHIFT
    cmp     x0, #ESR_CLASS_HVC
    b.ne    stop
    mov     x0, #-1
    eret
