// ChaCha20: computes one block of the keystream, a row of the state in each register; or xors four blocks into a text, a
// word of all four in each register.

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

// x0: the aligned state; x1: the block to write.
simd_routine simd_chacha20_block, {BLOCK_REGISTERS}
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

// Words of the state of four blocks: 0 to 7 in v0 to v7, 8 to 15 in v16 to v23. v24 to v27: temporaries; v28: the
// numbers of the lanes; v29: the bytes of words that are rotated by eight bits.

.macro simd_add to0, to1, to2, to3, by0, by1, by2, by3
    add     v\to0\().4s, v\to0\().4s, v\by0\().4s
    add     v\to1\().4s, v\to1\().4s, v\by1\().4s
    add     v\to2\().4s, v\to2\().4s, v\by2\().4s
    add     v\to3\().4s, v\to3\().4s, v\by3\().4s
.endm

.macro simd_xor to0, to1, to2, to3, one0, one1, one2, one3, by0, by1, by2, by3
    eor     v\to0\().16b, v\one0\().16b, v\by0\().16b
    eor     v\to1\().16b, v\one1\().16b, v\by1\().16b
    eor     v\to2\().16b, v\one2\().16b, v\by2\().16b
    eor     v\to3\().16b, v\one3\().16b, v\by3\().16b
.endm

.macro simd_swap_halves register
    rev32   v\register\().8h, v\register\().8h
.endm

.macro simd_rotate_bytes register
    tbl     v\register\().16b, {{v\register\().16b}}, v29.16b
.endm

// Rotates the temporaries into these registers.
.macro simd_rotate_four by, to0, to1, to2, to3
    shl     v\to0\().4s, v24.4s, #\by
    shl     v\to1\().4s, v25.4s, #\by
    shl     v\to2\().4s, v26.4s, #\by
    shl     v\to3\().4s, v27.4s, #\by
    sri     v\to0\().4s, v24.4s, #(32 - \by)
    sri     v\to1\().4s, v25.4s, #(32 - \by)
    sri     v\to2\().4s, v26.4s, #(32 - \by)
    sri     v\to3\().4s, v27.4s, #(32 - \by)
.endm

// Quarter rounds on four columns or diagonals, in four lanes.
.macro simd_four_quarter_rounds b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
    simd_add 0, 1, 2, 3, \b0, \b1, \b2, \b3
    simd_xor \d0, \d1, \d2, \d3, \d0, \d1, \d2, \d3, 0, 1, 2, 3
    .irp    d, \d0, \d1, \d2, \d3
    simd_swap_halves \d
    .endr
    simd_add \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3
    simd_xor 24, 25, 26, 27, \b0, \b1, \b2, \b3, \c0, \c1, \c2, \c3
    simd_rotate_four 12, \b0, \b1, \b2, \b3
    simd_add 0, 1, 2, 3, \b0, \b1, \b2, \b3
    simd_xor \d0, \d1, \d2, \d3, \d0, \d1, \d2, \d3, 0, 1, 2, 3
    .irp    d, \d0, \d1, \d2, \d3
    simd_rotate_bytes \d
    .endr
    simd_add \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3
    simd_xor 24, 25, 26, 27, \b0, \b1, \b2, \b3, \c0, \c1, \c2, \c3
    simd_rotate_four 7, \b0, \b1, \b2, \b3
.endm

// Turns four registers with a word of each block into registers with four words of a block each.
.macro simd_transpose w0, w1, w2, w3
    zip1    v24.4s, v\w0\().4s, v\w1\().4s
    zip2    v25.4s, v\w0\().4s, v\w1\().4s
    zip1    v26.4s, v\w2\().4s, v\w3\().4s
    zip2    v27.4s, v\w2\().4s, v\w3\().4s
    zip1    v\w0\().2d, v24.2d, v26.2d
    zip2    v\w1\().2d, v24.2d, v26.2d
    zip1    v\w2\().2d, v25.2d, v27.2d
    zip2    v\w3\().2d, v25.2d, v27.2d
.endm

.macro simd_xor_block r0, r1, r2, r3
    ld1     {{v24.16b, v25.16b, v26.16b, v27.16b}}, [x1]
    simd_xor 24, 25, 26, 27, 24, 25, 26, 27, \r0, \r1, \r2, \r3
    st1     {{v24.16b, v25.16b, v26.16b, v27.16b}}, [x1], #64
.endm

// x0: the aligned state of the first block; x1: the text; x2: how many times four blocks, not zero.
simd_routine simd_chacha20_four, {REGISTERS}
    adrp    x3, simd_chacha20_lanes
    add     x3, x3, #:lo12:simd_chacha20_lanes
    ldp     q28, q29, [x3]
    add     x4, x0, #16
    add     x5, x0, #32
    add     x6, x0, #48
    movi    v30.4s, #4

1:  ld4r    {{v0.4s, v1.4s, v2.4s, v3.4s}}, [x0]
    ld4r    {{v4.4s, v5.4s, v6.4s, v7.4s}}, [x4]
    ld4r    {{v16.4s, v17.4s, v18.4s, v19.4s}}, [x5]
    ld4r    {{v20.4s, v21.4s, v22.4s, v23.4s}}, [x6]
    add     v20.4s, v20.4s, v28.4s
    mov     w9, #{DOUBLE_ROUNDS}
2:  simd_four_quarter_rounds 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
    simd_four_quarter_rounds 5, 6, 7, 4, 18, 19, 16, 17, 23, 20, 21, 22
    subs    w9, w9, #1
    b.ne    2b

    ld4r    {{v24.4s, v25.4s, v26.4s, v27.4s}}, [x0]
    simd_add 0, 1, 2, 3, 24, 25, 26, 27
    ld4r    {{v24.4s, v25.4s, v26.4s, v27.4s}}, [x4]
    simd_add 4, 5, 6, 7, 24, 25, 26, 27
    ld4r    {{v24.4s, v25.4s, v26.4s, v27.4s}}, [x5]
    simd_add 16, 17, 18, 19, 24, 25, 26, 27
    ld4r    {{v24.4s, v25.4s, v26.4s, v27.4s}}, [x6]
    simd_add 20, 21, 22, 23, 24, 25, 26, 27
    add     v20.4s, v20.4s, v28.4s
    add     v28.4s, v28.4s, v30.4s
    simd_transpose 0, 1, 2, 3
    simd_transpose 4, 5, 6, 7
    simd_transpose 16, 17, 18, 19
    simd_transpose 20, 21, 22, 23
    simd_xor_block 0, 4, 16, 20
    simd_xor_block 1, 5, 17, 21
    simd_xor_block 2, 6, 18, 22
    simd_xor_block 3, 7, 19, 23
    subs    x2, x2, #1
    b.ne    1b
    ret

.section .rodata.simd_chacha20_lanes, "a"
.balign 16
simd_chacha20_lanes:
    .long   0, 1, 2, 3
    .byte   3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14

.purgem simd_rotate
.purgem simd_quarter_rounds
.purgem simd_turn
.purgem simd_add
.purgem simd_xor
.purgem simd_swap_halves
.purgem simd_rotate_bytes
.purgem simd_rotate_four
.purgem simd_four_quarter_rounds
.purgem simd_transpose
.purgem simd_xor_block
.purgem simd_routine
.arch_extension nofp
