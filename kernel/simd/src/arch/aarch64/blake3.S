// BLAKE3: compresses one block in each of four lanes, a lane in each 32-bit part of a register.
//
//   v0 .. v3     words 0 to 3        v16 .. v19   words 8 to 11
//   v4 .. v7     words 4 to 7        v20 .. v23   words 12 to 15
//
// The other registers hold words of the blocks and temporaries of the rotations.

.arch_extension simd

// Transposes words 4g to 4g+3 of each block: from four registers with a lane each to four with a word each.
.macro simd_transpose group
    ld1     {{v24.16b}}, [x1], #16
    ld1     {{v25.16b}}, [x3], #16
    ld1     {{v26.16b}}, [x4], #16
    ld1     {{v27.16b}}, [x5], #16
    zip1    v28.4s, v24.4s, v25.4s
    zip2    v29.4s, v24.4s, v25.4s
    zip1    v30.4s, v26.4s, v27.4s
    zip2    v31.4s, v26.4s, v27.4s
    zip1    v24.2d, v28.2d, v30.2d
    zip2    v25.2d, v28.2d, v30.2d
    zip1    v26.2d, v29.2d, v31.2d
    zip2    v27.2d, v29.2d, v31.2d
    stp     q24, q25, [x0, #{WORDS} + 64 * \group]
    stp     q26, q27, [x0, #{WORDS} + 64 * \group + 32]
.endm

.macro simd_rotate to, from, by
    ushr    v\to\().4s, v\from\().4s, #\by
    sli     v\to\().4s, v\from\().4s, #(32 - \by)
.endm

// Half a mixing of each of four columns or diagonals. x6: the offsets of the next words; x7: the base of the words.
.macro simd_mix second, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
    ldp     w2, w3, [x6], #8
    ldp     w4, w5, [x6], #8
    ldr     q24, [x7, x2]
    ldr     q25, [x7, x3]
    ldr     q26, [x7, x4]
    ldr     q27, [x7, x5]
    add     v0.4s, v0.4s, v\b0\().4s
    add     v1.4s, v1.4s, v\b1\().4s
    add     v2.4s, v2.4s, v\b2\().4s
    add     v3.4s, v3.4s, v\b3\().4s
    add     v0.4s, v0.4s, v24.4s
    add     v1.4s, v1.4s, v25.4s
    add     v2.4s, v2.4s, v26.4s
    add     v3.4s, v3.4s, v27.4s
    eor     v28.16b, v\d0\().16b, v0.16b
    eor     v29.16b, v\d1\().16b, v1.16b
    eor     v30.16b, v\d2\().16b, v2.16b
    eor     v31.16b, v\d3\().16b, v3.16b
    .if \second
    simd_rotate \d0, 28, 8
    simd_rotate \d1, 29, 8
    simd_rotate \d2, 30, 8
    simd_rotate \d3, 31, 8
    .else
    rev32   v\d0\().8h, v28.8h
    rev32   v\d1\().8h, v29.8h
    rev32   v\d2\().8h, v30.8h
    rev32   v\d3\().8h, v31.8h
    .endif
    add     v\c0\().4s, v\c0\().4s, v\d0\().4s
    add     v\c1\().4s, v\c1\().4s, v\d1\().4s
    add     v\c2\().4s, v\c2\().4s, v\d2\().4s
    add     v\c3\().4s, v\c3\().4s, v\d3\().4s
    eor     v28.16b, v\b0\().16b, v\c0\().16b
    eor     v29.16b, v\b1\().16b, v\c1\().16b
    eor     v30.16b, v\b2\().16b, v\c2\().16b
    eor     v31.16b, v\b3\().16b, v\c3\().16b
    .if \second
    simd_rotate \b0, 28, 7
    simd_rotate \b1, 29, 7
    simd_rotate \b2, 30, 7
    simd_rotate \b3, 31, 7
    .else
    simd_rotate \b0, 28, 12
    simd_rotate \b1, 29, 12
    simd_rotate \b2, 30, 12
    simd_rotate \b3, 31, 12
    .endif
.endm

// x0: lanes; x1: block of the first lane; x2: distance from one lane's block to the next.
simd_routine simd_blake3_four, {REGISTERS}
    add     x3, x1, x2
    add     x4, x3, x2
    add     x5, x4, x2
    simd_transpose 0
    simd_transpose 1
    simd_transpose 2
    simd_transpose 3
    ldp     q0, q1, [x0, #{CHAINING}]
    ldp     q2, q3, [x0, #{CHAINING} + 32]
    ldp     q4, q5, [x0, #{CHAINING} + 64]
    ldp     q6, q7, [x0, #{CHAINING} + 96]
    ldp     q16, q17, [x0, #{THIRD_ROW}]
    ldp     q18, q19, [x0, #{THIRD_ROW} + 32]
    ldp     q20, q21, [x0, #{FOURTH_ROW}]
    ldp     q22, q23, [x0, #{FOURTH_ROW} + 32]
    adrp    x6, simd_blake3_words
    add     x6, x6, #:lo12:simd_blake3_words
    add     x7, x0, #{WORDS}
    mov     w1, #SIMD_ROUNDS
1:  simd_mix 0, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
    simd_mix 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
    simd_mix 0, 5, 6, 7, 4, 18, 19, 16, 17, 23, 20, 21, 22
    simd_mix 1, 5, 6, 7, 4, 18, 19, 16, 17, 23, 20, 21, 22
    subs    w1, w1, #1
    b.ne    1b
    eor     v0.16b, v0.16b, v16.16b
    eor     v1.16b, v1.16b, v17.16b
    eor     v2.16b, v2.16b, v18.16b
    eor     v3.16b, v3.16b, v19.16b
    eor     v4.16b, v4.16b, v20.16b
    eor     v5.16b, v5.16b, v21.16b
    eor     v6.16b, v6.16b, v22.16b
    eor     v7.16b, v7.16b, v23.16b
    stp     q0, q1, [x0, #{CHAINING}]
    stp     q2, q3, [x0, #{CHAINING} + 32]
    stp     q4, q5, [x0, #{CHAINING} + 64]
    stp     q6, q7, [x0, #{CHAINING} + 96]
    ret

.purgem simd_transpose
.purgem simd_rotate
.purgem simd_mix
.purgem simd_routine
.arch_extension nofp
