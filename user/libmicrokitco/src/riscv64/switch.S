/* Leaves one context (a0) and continues another (a1): limen_co_context_t in cothread/riscv64/context.h. */

    .macro save_reserved
    sd      sp, 8(a0)
    sd      s0, 16(a0)
    sd      s1, 24(a0)
    .endm

    .macro restore_reserved
    ld      sp, 8(a1)
    ld      s0, 16(a1)
    ld      s1, 24(a1)
    .endm

    .macro save_partly
    sd      ra, 0(a0)
    save_reserved
    .endm

    .macro save_partly_for label
    lla     t0, \label
    sd      t0, 0(a0)
    save_reserved
    .endm

    .macro continue_other
    ld      t0, 0(a1)
    restore_reserved
    jr      t0
    .endm

    .macro save_general
    sd      ra, 32(a0)
    sd      s2, 40(a0)
    sd      s3, 48(a0)
    sd      s4, 56(a0)
    sd      s5, 64(a0)
    sd      s6, 72(a0)
    sd      s7, 80(a0)
    sd      s8, 88(a0)
    sd      s9, 96(a0)
    sd      s10, 104(a0)
    sd      s11, 112(a0)
    .endm

    .macro restore_general
    ld      ra, 32(a1)
    ld      s2, 40(a1)
    ld      s3, 48(a1)
    ld      s4, 56(a1)
    ld      s5, 64(a1)
    ld      s6, 72(a1)
    ld      s7, 80(a1)
    ld      s8, 88(a1)
    ld      s9, 96(a1)
    ld      s10, 104(a1)
    ld      s11, 112(a1)
    .endm

    .macro save_floating
#if defined(__riscv_float_abi_double)
    fsd     fs0, 120(a0)
    fsd     fs1, 128(a0)
    fsd     fs2, 136(a0)
    fsd     fs3, 144(a0)
    fsd     fs4, 152(a0)
    fsd     fs5, 160(a0)
    fsd     fs6, 168(a0)
    fsd     fs7, 176(a0)
    fsd     fs8, 184(a0)
    fsd     fs9, 192(a0)
    fsd     fs10, 200(a0)
    fsd     fs11, 208(a0)
#endif
    .endm

    .macro restore_floating
#if defined(__riscv_float_abi_double)
    fld     fs0, 120(a1)
    fld     fs1, 128(a1)
    fld     fs2, 136(a1)
    fld     fs3, 144(a1)
    fld     fs4, 152(a1)
    fld     fs5, 160(a1)
    fld     fs6, 168(a1)
    fld     fs7, 176(a1)
    fld     fs8, 184(a1)
    fld     fs9, 192(a1)
    fld     fs10, 200(a1)
    fld     fs11, 208(a1)
#endif
    .endm

    .macro clear_result
    li      a0, 0
    .endm

    .macro enter_cothread
    call    limen_co_begin
    unimp
    .endm

#include "../switch_by_call.S"
