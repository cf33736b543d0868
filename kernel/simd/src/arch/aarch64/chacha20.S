// ChaCha20: computes one block of the keystream, a row of the state in each register.

.arch_extension simd

.macro simd_rotate register, by
    ushr    v4.4s, v\register\().4s, #(32 - \by)
    sli     v4.4s, v\register\().4s, #\by
    mov     v\register\().16b, v4.16b
.endm

.macro simd_quarter_rounds
    add     v0.4s, v0.4s, v1.4s
    eor     v3.16b, v3.16b, v0.16b
    rev32   v3.8h, v3.8h
    add     v2.4s, v2.4s, v3.4s
    eor     v1.16b, v1.16b, v2.16b
    simd_rotate 1, 12
    add     v0.4s, v0.4s, v1.4s
    eor     v3.16b, v3.16b, v0.16b
    simd_rotate 3, 8
    add     v2.4s, v2.4s, v3.4s
    eor     v1.16b, v1.16b, v2.16b
    simd_rotate 1, 7
.endm

// Rotates the rows to turn diagonals into columns, and back.
.macro simd_turn first, third
    ext     v1.16b, v1.16b, v1.16b, #\first
    ext     v2.16b, v2.16b, v2.16b, #8
    ext     v3.16b, v3.16b, v3.16b, #\third
.endm

.section .text.simd_chacha20_block, "ax"

// x0: the aligned state; x1: the block to write.
.global simd_chacha20_block
.set simd_chacha20_block.registers, {REGISTERS}
simd_chacha20_block:
    ldp     q0, q1, [x0]
    ldp     q2, q3, [x0, #32]
    mov     w9, #{DOUBLE_ROUNDS}
1:  simd_quarter_rounds
    simd_turn 4, 12
    simd_quarter_rounds
    simd_turn 12, 4
    subs    w9, w9, #1
    b.ne    1b
    ldp     q4, q5, [x0]
    ldp     q6, q7, [x0, #32]
    add     v0.4s, v0.4s, v4.4s
    add     v1.4s, v1.4s, v5.4s
    add     v2.4s, v2.4s, v6.4s
    add     v3.4s, v3.4s, v7.4s
    st1     {{v0.16b, v1.16b, v2.16b, v3.16b}}, [x1]
    ret

.purgem simd_rotate
.purgem simd_quarter_rounds
.purgem simd_turn
.arch_extension nofp
