/* Attacks on AArch64. An instruction that EL0 does not have is undefined; one that the kernel reserves is trapped, and the
 * syndrome names it. Source: ARM DDI 0487, C5. */

#define UNDEFINED udf #0
#include "table_macros.h"

    /* The syndrome of undefined instructions, and of breakpoints. */
    .equ UNKNOWN, 0x02000000
    .equ BREAKPOINT, 0xf2000000

.macro undefined instruction
    attack EXCEPTION, UNKNOWN, 0, "\instruction"
.endm

.macro trapped instruction
    attack TRAPPED, 0, 0, "\instruction"
.endm

.macro register_undefined name
    undefined "mrs x0, \name"
    undefined "msr \name, x0"
.endm

.macro register_trapped name
    trapped "mrs x0, \name"
    trapped "msr \name, x0"
.endm

    undefined "udf #0"
    undefined "udf #0xffff"
    undefined "hvc #0"
    undefined "hvc #0xffff"
    undefined "smc #0"
    undefined "smc #1"
    undefined "hlt #0"
    undefined "hlt #0xf000"
    undefined "dcps1"
    undefined "dcps2"
    undefined "dcps3"
    undefined "drps"
    undefined "eret"
    attack EXCEPTION, BREAKPOINT, 0, "brk #0"
    attack EXCEPTION, BREAKPOINT + 0xffff, 0, "brk #0xffff"
    attack SYSTEM_CALL, -1000, 0, "svc #0", "mov x7, #-1000"
    attack SYSTEM_CALL, -1000, 0, "svc #1", "mov x7, #-1000"
    attack SYSTEM_CALL, -1000, 0, "svc #0xffff", "mov x7, #-1000"
    attack SYSTEM_CALL, 0, 0, "svc #2", "mov x7, #0"
    attack SYSTEM_CALL, 0x7fffffffffffffff, 0, "svc #3", "mov x7, #0x7fffffffffffffff"
    attack SYSTEM_CALL, 0x8000000000000000, 0, "svc #4", "mov x7, #0x8000000000000000"
    /* Only the last byte is right. */
    attack SYSTEM_CALL, 0xff, 0, "svc #5", "mov x7, #0xff"
    attack SYSTEM_CALL, 0xffffffff, 0, "svc #6", "mov x7, #0xffffffff"

    trapped "msr daifset, #15"
    trapped "msr daifclr, #15"
    trapped "msr daifset, #0"
    register_trapped daif
    undefined "msr spsel, #0"
    undefined "msr spsel, #1"
    register_undefined spsel
    register_undefined sp_el0
    undefined "mrs x0, currentel"
    undefined "msr s0_0_c4_c0_4, xzr"
    undefined "msr s0_0_c4_c0_3, xzr"
    register_undefined s3_0_c4_c2_3
    register_undefined elr_el1
    register_undefined spsr_el1
    register_undefined esr_el1
    register_undefined far_el1
    register_undefined par_el1
    register_undefined vbar_el1
    register_undefined sctlr_el1
    register_undefined actlr_el1
    register_undefined cpacr_el1
    register_undefined ttbr0_el1
    register_undefined ttbr1_el1
    register_undefined tcr_el1
    register_undefined mair_el1
    register_undefined amair_el1
    register_undefined contextidr_el1
    register_undefined tpidr_el1
    register_undefined csselr_el1
    register_undefined cntkctl_el1
    register_undefined mdscr_el1
    register_undefined dbgbvr0_el1
    register_undefined dbgbcr0_el1
    register_undefined dbgwvr0_el1
    register_undefined dbgwcr0_el1
    undefined "msr oslar_el1, x0"
    undefined "mrs x0, oslsr_el1"
    undefined "mrs x0, midr_el1"
    undefined "mrs x0, mpidr_el1"
    undefined "mrs x0, revidr_el1"
    undefined "mrs x0, ccsidr_el1"
    undefined "mrs x0, clidr_el1"
    undefined "mrs x0, id_aa64pfr0_el1"
    undefined "mrs x0, id_aa64isar0_el1"
    undefined "mrs x0, id_aa64mmfr0_el1"
    undefined "mrs x0, isr_el1"
    undefined "mrs x0, rvbar_el1"
    /* Registers of more privileged exception levels. */
    register_undefined hcr_el2
    register_undefined sctlr_el2
    register_undefined vbar_el2
    register_undefined ttbr0_el2
    register_undefined cptr_el2
    register_undefined mdcr_el2
    register_undefined cnthctl_el2
    register_undefined cntvoff_el2
    register_undefined vttbr_el2
    register_undefined elr_el2
    register_undefined spsr_el2
    register_undefined sctlr_el3
    register_undefined scr_el3
    register_undefined vbar_el3
    /* The interrupt controller of version 3. */
    register_undefined s3_0_c12_c12_5
    register_undefined s3_0_c4_c6_0
    register_undefined s3_0_c12_c12_7

    /* The counters that the description does not grant and their settings. */
    trapped "mrs x0, pmccntr_el0"
    trapped "msr pmccntr_el0, x0"
    register_trapped pmcr_el0
    register_trapped pmcntenset_el0
    register_trapped pmcntenclr_el0
    register_trapped pmovsclr_el0
    register_trapped pmselr_el0
    register_trapped pmxevtyper_el0
    register_trapped pmxevcntr_el0
    register_trapped pmccfiltr_el0
    trapped "msr pmswinc_el0, x0"
    undefined "msr pmuserenr_el0, x0"
    register_undefined pmintenset_el1
    /* The kernel's timer. */
    register_trapped cntv_ctl_el0
    register_trapped cntv_cval_el0
    register_trapped cntv_tval_el0
    register_undefined cntps_ctl_el1
    undefined "msr s3_3_c14_c0_2, x0"
    undefined "msr cntfrq_el0, x0"
    undefined "msr tpidrro_el0, x0"

    undefined "tlbi vmalle1"
    undefined "tlbi vmalle1is"
    undefined "tlbi vae1, x0"
    undefined "tlbi aside1, x0"
    undefined "tlbi vaale1, x0"
    undefined "tlbi alle1"
    undefined "tlbi alle2"
    undefined "tlbi alle3"
    undefined "tlbi ipas2e1, x0"
    undefined "ic iallu"
    undefined "ic ialluis"
    undefined "dc isw, x0"
    undefined "dc csw, x0"
    undefined "dc cisw, x0"
    undefined "dc ivac, x0"
    undefined "at s1e0r, x0"
    undefined "at s1e0w, x0"
    undefined "at s1e1r, x0"
    undefined "at s1e1w, x0"
    undefined "at s12e0r, x0"
    undefined "at s1e2r, x0"
    undefined "at s1e3r, x0"

    /* Accesses that must be aligned, and one that zeroes kernel memory. */
    attack MEMORY, 0x92000021, 0x5000001, "ldxr x1, [x0]", "mov x0, #0x5000000; add x0, x0, #1"
    attack MEMORY, 0x92000021, 0x5000004, "ldar x1, [x0]", "mov x0, #0x5000000; add x0, x0, #4"
    attack MEMORY, 0x92000061, 0x5000004, "stlr x1, [x0]", "mov x0, #0x5000000; add x0, x0, #4"
    attack MEMORY, 0x92000047, 0x5002000, "dc zva, x0", "mov x0, #0x5000000; add x0, x0, #0x2000"
    attack MEMORY, 0x9200004f, 0x6000000, "dc zva, x0", "mov x0, #0x6000000"

    /* Allowed instructions. */
    allowed "wfe"
    allowed "sevl"
    allowed "sev"
    allowed "yield"
    allowed "isb"
    allowed "dsb sy"
    allowed "clrex"
    allowed "mrs x0, cntvct_el0"
    allowed "mrs x0, cntpct_el0"
    allowed "mrs x0, cntfrq_el0"
    allowed "mrs x0, ctr_el0"
    allowed "mrs x0, dczid_el0"
    allowed "mrs x0, tpidr_el0"
    allowed "mrs x0, tpidrro_el0"
    allowed "msr tpidr_el0, x0"
    allowed "mrs x0, nzcv"
    allowed "msr nzcv, x0"
    allowed "mrs x0, fpcr"
    allowed "mrs x0, fpsr"
    allowed "mrs x0, pmuserenr_el0"
    allowed "dc zva, x0"
    allowed "dc cvac, x0"
    allowed "dc cvau, x0"
    allowed "dc civac, x0"
    allowed "ic ivau, x0"
    allowed "wfi"

code undefined_code
    udf #0
code after_undefined_code
    udf #0
code unknown_call_code
    svc #0
code after_unknown_call_code
    udf #0
code load_code
    ldrb wzr, [x0]
    udf #0
code store_code
    strb wzr, [x0]
    udf #0
code jump_code
    br x0
code stack_code
    ldrb wzr, [sp]
    udf #0
code wait_code
    svc #0
code after_wait_code
    udf #0
code patch_code
    udf #0
code after_patch_code
    udf #0
    end_table

    .section .note.GNU-stack, "", %progbits
