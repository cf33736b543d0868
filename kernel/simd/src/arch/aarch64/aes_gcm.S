// AES-GCM with the processor's instructions for AES and for products of polynomials.

.arch_extension crypto

// w0: a word. Returns it with each byte substituted. All columns are equal, so moving bytes between them does nothing.
simd_routine simd_aes_sub_word, {REGISTERS}
    dup     v0.4s, w0
    movi    v1.16b, #0
    aese    v0.16b, v1.16b
    umov    w0, v0.s[0]
    ret

// Reverses the bytes of a register.
.macro simd_reverse to, from
    rev64   v\to\().16b, v\from\().16b
    ext     v\to\().16b, v\to\().16b, v\to\().16b, #8
.endm

.macro simd_aes_counters block
    simd_reverse \block, 5
    add     v5.4s, v5.4s, v6.4s
.endm

.macro simd_aes_round key
    aese    v0.16b, v\key\().16b
    aesmc   v0.16b, v0.16b
    aese    v1.16b, v\key\().16b
    aesmc   v1.16b, v1.16b
    aese    v2.16b, v\key\().16b
    aesmc   v2.16b, v2.16b
    aese    v3.16b, v\key\().16b
    aesmc   v3.16b, v3.16b
.endm

.macro simd_aes_two_rounds keys, offset
    ldp     q4, q7, [\keys, #\offset]
    simd_aes_round 4
    simd_aes_round 7
.endm

// Xors a block and the last key, v7, into the text.
.macro simd_aes_text block
    ld1     {{v4.16b}}, [x3]
    eor     v\block\().16b, v\block\().16b, v7.16b
    eor     v4.16b, v4.16b, v\block\().16b
    st1     {{v4.16b}}, [x3], #16
.endm

// x0: the round keys; x1: rounds; x2: the counter, a number; x3: the text; x4: how many times four blocks, not zero.
// Xors encrypted counters into the text.
simd_routine simd_aes_counter, {REGISTERS}
    ldr     q5, [x2]
    movi    v6.2d, #0
    mov     w9, #1
    mov     v6.s[0], w9
    add     x1, x0, x1, lsl #4
    sub     x1, x1, #160
1:  simd_aes_counters 0
    simd_aes_counters 1
    simd_aes_counters 2
    simd_aes_counters 3
    // Fourteen rounds, or ten.
    cmp     x1, x0
    b.eq    2f
    simd_aes_two_rounds x0, 0
    simd_aes_two_rounds x0, 32
2:  simd_aes_two_rounds x1, 0
    simd_aes_two_rounds x1, 32
    simd_aes_two_rounds x1, 64
    simd_aes_two_rounds x1, 96
    ldp     q4, q7, [x1, #128]
    simd_aes_round 4
    aese    v0.16b, v7.16b
    aese    v1.16b, v7.16b
    aese    v2.16b, v7.16b
    aese    v3.16b, v7.16b
    ldr     q7, [x1, #160]
    simd_aes_text 0
    simd_aes_text 1
    simd_aes_text 2
    simd_aes_text 3
    subs    x4, x4, #1
    b.ne    1b
    ret

// Adds the product of a block and a power to v0 (low half), v1 (high), v2 (middle). The first block's product replaces
// them, and v0 is added to that block.
.macro simd_ghash_block power, is_first
    ld1     {{v3.16b}}, [x2], #16
    simd_reverse 3, 3
    ldr     q5, [x1, #\power]
    .if     \is_first
    eor     v3.16b, v3.16b, v0.16b
    ext     v4.16b, v3.16b, v3.16b, #8
    pmull   v0.1q, v3.1d, v5.1d
    pmull2  v1.1q, v3.2d, v5.2d
    pmull   v2.1q, v4.1d, v5.1d
    .else
    ext     v4.16b, v3.16b, v3.16b, #8
    pmull   v7.1q, v3.1d, v5.1d
    eor     v0.16b, v0.16b, v7.16b
    pmull2  v7.1q, v3.2d, v5.2d
    eor     v1.16b, v1.16b, v7.16b
    pmull   v7.1q, v4.1d, v5.1d
    eor     v2.16b, v2.16b, v7.16b
    .endif
    pmull2  v7.1q, v4.2d, v5.2d
    eor     v2.16b, v2.16b, v7.16b
.endm

// Reduces the product to v0, and divides it by x^128: a multiple of the polynomial clears the low half.
.macro simd_ghash_end
    movi    v5.2d, #0
    ext     v7.16b, v5.16b, v2.16b, #8
    eor     v0.16b, v0.16b, v7.16b
    ext     v7.16b, v2.16b, v5.16b, #8
    eor     v1.16b, v1.16b, v7.16b
    .rept   2
    pmull   v7.1q, v0.1d, v6.1d
    ext     v0.16b, v0.16b, v0.16b, #8
    eor     v0.16b, v0.16b, v7.16b
    .endr
    eor     v0.16b, v0.16b, v1.16b
.endm

// x0: the sum; x1: the powers of the key, the first to the fourth; x2: blocks; x3: how many, not zero.
simd_routine simd_ghash, {REGISTERS}
    ldr     q0, [x0]
    mov     x9, #{POLYNOMIAL}
    fmov    d6, x9
    subs    x3, x3, #4
    b.lo    2f
1:  simd_ghash_block 48, 1
    simd_ghash_block 32, 0
    simd_ghash_block 16, 0
    simd_ghash_block 0, 0
    simd_ghash_end
    subs    x3, x3, #4
    b.hs    1b
2:  adds    x3, x3, #4
    b.eq    4f
3:  simd_ghash_block 0, 1
    simd_ghash_end
    subs    x3, x3, #1
    b.ne    3b
4:  str     q0, [x0]
    ret

.purgem simd_reverse
.purgem simd_aes_counters
.purgem simd_aes_round
.purgem simd_aes_two_rounds
.purgem simd_aes_text
.purgem simd_ghash_block
.purgem simd_ghash_end
.purgem simd_routine
.arch_extension nofp
