// The vector extension. Programs never have it, so its registers belong to no thread: each routine turns the unit on, with
// interrupts off, clears what it has used, and turns the unit off.

.option push
.option arch, +v

// sstatus: the vector unit, and interrupts.
.equ    SIMD_UNIT, 0b11 << 9
.equ    SIMD_INTERRUPTS, 1 << 1

// t6: whether interrupts were on.
.macro simd_unit_on
    csrrci  t6, sstatus, SIMD_INTERRUPTS
    andi    t6, t6, SIMD_INTERRUPTS
    li      t0, SIMD_UNIT
    csrs    sstatus, t0
.endm

.macro simd_unit_off
    li      t0, SIMD_UNIT
    csrc    sstatus, t0
    csrs    sstatus, t6
.endm

.macro simd_clear_registers
    vsetvli t0, zero, e8, m8, ta, ma
    .irp    register, 0, 8, 16, 24
    vmv.v.i v\register, 0
    .endr
.endm

// Returns the bytes of a vector register in a0: 0 without the extension. Where it is missing, a read of vlenb traps; the bits of
// sstatus alone do not tell. Interrupts are off.
.section .text.simd_vector_bytes, "ax"
.global simd_vector_bytes
simd_vector_bytes:
    csrr    t1, sstatus
    li      t0, SIMD_UNIT
    csrs    sstatus, t0
    lla     t0, 1f
    csrrw   t2, stvec, t0
    li      a0, 0
    csrr    a0, 0xc22
    .balign 4
1:  csrw    stvec, t2
    csrw    sstatus, t1
    ret

// Returns the bits that are set in any register.
simd_routine simd_vector_contents, {REGISTERS}
    simd_unit_on
    vsetvli t0, zero, e64, m8, ta, ma
    .irp    register, 8, 16, 24
    vor.vv  v0, v0, v\register
    .endr
    vmv.v.i v8, 0
    vredor.vs v8, v0, v8
    vmv.x.s a0, v8
    simd_clear_registers
    simd_unit_off
    ret

.macro simd_quarter_round a, b, c, d
    simd_add_and_turn \a, \b, \d, 16
    simd_add_and_turn \c, \d, \b, 12
    simd_add_and_turn \a, \b, \d, 8
    simd_add_and_turn \c, \d, \b, 7
.endm

.macro simd_add_and_turn sum, by, turned, distance
    vadd.vv v\sum, v\sum, v\by
    vxor.vv v\turned, v\turned, v\sum
    vsll.vi v16, v\turned, \distance
    vsrl.vi v\turned, v\turned, 32 - \distance
    vor.vv  v\turned, v\turned, v16
.endm

// Word i of the state of each block in v0 to v15; v16: a temporary; v17: the numbers of the blocks.
//
// a0: the aligned state of the first block; a1: the text, aligned to words; a2: the number of blocks, not zero. Returns how many
// of them it has computed.
simd_routine simd_chacha20_batch, {REGISTERS}
    simd_unit_on
    vsetvli t1, a2, e32, m1, ta, ma
    .irp    word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    lw      t0, 4 * \word(a0)
    vmv.v.x v\word, t0
    .endr
    vid.v   v17
    vadd.vv v12, v12, v17
    li      t2, {DOUBLE_ROUNDS}
1:  simd_quarter_round 0, 4, 8, 12
    simd_quarter_round 1, 5, 9, 13
    simd_quarter_round 2, 6, 10, 14
    simd_quarter_round 3, 7, 11, 15
    simd_quarter_round 0, 5, 10, 15
    simd_quarter_round 1, 6, 11, 12
    simd_quarter_round 2, 7, 8, 13
    simd_quarter_round 3, 4, 9, 14
    addi    t2, t2, -1
    bnez    t2, 1b
    vadd.vv v12, v12, v17
    li      t2, 64
    .irp    word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    lw      t0, 4 * \word(a0)
    vadd.vx v\word, v\word, t0
    vlse32.v v16, (a1), t2
    vxor.vv v16, v16, v\word
    vsse32.v v16, (a1), t2
    addi    a1, a1, 4
    .endr
    simd_clear_registers
    simd_unit_off
    mv      a0, t1
    ret

// a0: the memory; a1: its bytes, not zero.
simd_routine simd_vector_clear, {REGISTERS}
    simd_unit_on
    simd_clear_registers
1:  vsetvli t0, a1, e8, m8, ta, ma
    vse8.v  v0, (a0)
    add     a0, a0, t0
    sub     a1, a1, t0
    bnez    a1, 1b
    simd_unit_off
    ret

.purgem simd_unit_on
.purgem simd_unit_off
.purgem simd_clear_registers
.purgem simd_quarter_round
.purgem simd_add_and_turn
.purgem simd_routine
.option pop
