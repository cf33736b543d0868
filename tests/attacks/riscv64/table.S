/* Attacks on RISC-V: every forbidden instruction is illegal. Source: The RISC-V Instruction Set Manual,
 * Volume II. */

#define UNDEFINED unimp
    .option norvc
    .option norelax
#include "table_macros.h"

    .equ ILLEGAL, 2
    .equ BREAKPOINT, 3

.macro illegal instruction
    attack EXCEPTION, ILLEGAL, 0, "\instruction"
.endm

.macro system_call number
    attack SYSTEM_CALL, \number, 0, "ecall", "li a7, \number"
.endm

    illegal "unimp"
    illegal ".4byte 0x00000000"
    illegal ".4byte 0xffffffff"
    illegal "sret"
    illegal "mret"
    illegal "wfi"
    illegal ".4byte 0x00200073"
    illegal ".4byte 0x7b200073"
    illegal "sfence.vma"
    illegal "sfence.vma a0, a1"
    /* sinval.vma, sfence.w.inval, hfence.vvma, hfence.gvma */
    illegal ".4byte 0x16b50073"
    illegal ".4byte 0x18000073"
    illegal ".4byte 0x22b50073"
    illegal ".4byte 0x62b50073"
    /* hlv.b, hlv.wu, hlvx.wu, hsv.d */
    illegal ".4byte 0x60054573"
    illegal ".4byte 0x68154573"
    illegal ".4byte 0x68354573"
    illegal ".4byte 0x6ea5c073"
    /* cbo.inval, cbo.clean, cbo.flush, cbo.zero */
    illegal ".4byte 0x0005200f"
    illegal ".4byte 0x0015200f"
    illegal ".4byte 0x0025200f"
    illegal ".4byte 0x0045200f"
    /* vsetvli: the vector unit is off. */
    illegal ".4byte 0x0c0072d7"
    /* vmv.x.s a0, v0; vmv.v.i v0, 0; vle8.v v0, (a0); vl1re8.v v0, (a0); csrr a0, vlenb */
    illegal ".4byte 0x42002557"
    illegal ".4byte 0x5e003057"
    illegal ".4byte 0x02050007"
    illegal ".4byte 0x02850007"
    illegal ".4byte 0xc2202573"
    /* A rounding mode that does not exist. */
    illegal ".4byte 0x02b55553"
    attack EXCEPTION, BREAKPOINT, 0, "ebreak"
    system_call -1000
    system_call 0
    system_call 1
    system_call 0xff
    system_call 0xffffffff
    system_call 0x7fffffffffffffff
    system_call 0x8000000000000000
    /* Extensions of the firmware, which programs cannot call. */
    system_call 0x10
    system_call 0x48534d
    system_call 0x53525354
    system_call 0x54494d45
    system_call 8

    /* Registers of kernel and firmware; the sweep tries each of them as well. */
    illegal "csrr a0, sstatus"
    illegal "csrw sstatus, a0"
    illegal "csrs sstatus, a0"
    illegal "csrc sstatus, a0"
    illegal "csrwi sstatus, 0"
    illegal "csrsi sstatus, 2"
    illegal "csrci sstatus, 2"
    illegal "csrs sstatus, zero"
    illegal "csrw satp, zero"
    illegal "csrw stvec, a0"
    illegal "csrw sscratch, a0"
    illegal "csrw sie, zero"
    illegal "csrw scounteren, a0"
    illegal "csrr a0, mhartid"
    illegal "csrw mstatus, a0"
    illegal "csrw pmpcfg0, zero"
    /* Counters that the description does not grant. No program may write a counter. */
    illegal "rdcycle a0"
    illegal "rdinstret a0"
    illegal "csrr a0, hpmcounter3"
    illegal "csrr a0, hpmcounter31"
    illegal "csrw cycle, a0"
    illegal "csrw time, a0"
    illegal "csrw instret, a0"

    /* An access that must be aligned. */
    attack EXCEPTION, 4, 0, "lr.d a1, (a0)", "li a0, 0x5000001"

    /* Allowed instructions. */
    allowed "rdtime a0"
    allowed "csrr a0, fcsr"
    allowed "csrr a0, frm"
    allowed "csrr a0, fflags"
    allowed "csrw fcsr, zero"
    allowed "fence"
    allowed "fence.i"
    allowed "fence.tso"
    /* pause */
    allowed ".4byte 0x0100000f"

code undefined_code
    unimp
code after_undefined_code
    unimp
code unknown_call_code
    ecall
code after_unknown_call_code
    unimp
code load_code
    lb zero, 0(a0)
    unimp
code store_code
    sb zero, 0(a0)
    unimp
code jump_code
    jr a0
code stack_code
    lb zero, 0(sp)
    unimp
code wait_code
    ecall
code after_wait_code
    unimp
code patch_code
    unimp
code after_patch_code
    unimp
    end_table

    .section .note.GNU-stack, "", %progbits
