// BLAKE3: compresses one block in each of four lanes, a lane in each 32-bit part of a register.
//
// The state has sixteen words, as many as there are registers. So its third row is in memory, which frees four
// registers for the temporaries of the rotations. Rows are mixed a whole row at a time.
//
//   xmm0 .. xmm3    words 0 to 3        memory          words 8 to 11
//   xmm4 .. xmm7    words 4 to 7        xmm8 .. xmm11   words 12 to 15

// Transposes words 4g to 4g+3 of each block: from four registers with a lane each to four with a word each.
.macro simd_transpose group
    movdqu  xmm8, [rsi + 16 * \group]
    movdqu  xmm9, [r8 + 16 * \group]
    movdqu  xmm10, [r9 + 16 * \group]
    movdqu  xmm11, [r10 + 16 * \group]
    movdqa  xmm12, xmm8
    punpckldq xmm8, xmm9
    punpckhdq xmm12, xmm9
    movdqa  xmm13, xmm10
    punpckldq xmm10, xmm11
    punpckhdq xmm13, xmm11
    movdqa  xmm14, xmm8
    punpcklqdq xmm8, xmm10
    punpckhqdq xmm14, xmm10
    movdqa  xmm15, xmm12
    punpcklqdq xmm12, xmm13
    punpckhqdq xmm15, xmm13
    movdqa  [rdi + {WORDS} + 64 * \group], xmm8
    movdqa  [rdi + {WORDS} + 64 * \group + 16], xmm14
    movdqa  [rdi + {WORDS} + 64 * \group + 32], xmm12
    movdqa  [rdi + {WORDS} + 64 * \group + 48], xmm15
.endm

.macro simd_rotate register, spare, by
    movdqa  xmm\spare, xmm\register
    psrld   xmm\spare, \by
    pslld   xmm\register, 32 - (\by)
    por     xmm\register, xmm\spare
.endm

.macro simd_swap_halves register
    pshuflw xmm\register, xmm\register, 0xb1
    pshufhw xmm\register, xmm\register, 0xb1
.endm

.macro simd_add_to_row index, d, b, spare
    movdqa  xmm\spare, [rdi + {THIRD_ROW} + 16 * \index]
    paddd   xmm\spare, xmm\d
    movdqa  [rdi + {THIRD_ROW} + 16 * \index], xmm\spare
    pxor    xmm\b, xmm\spare
.endm

// Half a mixing of each of four columns or diagonals. rdx: the words of this round; part: which four of them.
.macro simd_mix part, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
    mov     r8d, [rdx + 16 * \part]
    mov     r9d, [rdx + 16 * \part + 4]
    mov     r10d, [rdx + 16 * \part + 8]
    mov     r11d, [rdx + 16 * \part + 12]
    paddd   xmm0, [rdi + r8 + {WORDS}]
    paddd   xmm1, [rdi + r9 + {WORDS}]
    paddd   xmm2, [rdi + r10 + {WORDS}]
    paddd   xmm3, [rdi + r11 + {WORDS}]
    paddd   xmm0, xmm\b0
    paddd   xmm1, xmm\b1
    paddd   xmm2, xmm\b2
    paddd   xmm3, xmm\b3
    pxor    xmm\d0, xmm0
    pxor    xmm\d1, xmm1
    pxor    xmm\d2, xmm2
    pxor    xmm\d3, xmm3
    .if \part & 1
    simd_rotate \d0, 12, 8
    simd_rotate \d1, 13, 8
    simd_rotate \d2, 14, 8
    simd_rotate \d3, 15, 8
    .else
    simd_swap_halves \d0
    simd_swap_halves \d1
    simd_swap_halves \d2
    simd_swap_halves \d3
    .endif
    simd_add_to_row \c0, \d0, \b0, 12
    simd_add_to_row \c1, \d1, \b1, 13
    simd_add_to_row \c2, \d2, \b2, 14
    simd_add_to_row \c3, \d3, \b3, 15
    simd_rotate \b0, 12, 12 - 5 * (\part & 1)
    simd_rotate \b1, 13, 12 - 5 * (\part & 1)
    simd_rotate \b2, 14, 12 - 5 * (\part & 1)
    simd_rotate \b3, 15, 12 - 5 * (\part & 1)
.endm

.macro simd_combine register, other, index
    pxor    xmm\register, \other
    movdqa  [rdi + {CHAINING} + 16 * \index], xmm\register
.endm

// rdi: lanes; rsi: block of the first lane; rdx: distance from one lane's block to the next.
simd_routine simd_blake3_four, {REGISTERS}
    lea     r8, [rsi + rdx]
    lea     r9, [r8 + rdx]
    lea     r10, [r9 + rdx]
    simd_transpose 0
    simd_transpose 1
    simd_transpose 2
    simd_transpose 3
    movdqa  xmm0, [rdi + {CHAINING}]
    movdqa  xmm1, [rdi + {CHAINING} + 16]
    movdqa  xmm2, [rdi + {CHAINING} + 32]
    movdqa  xmm3, [rdi + {CHAINING} + 48]
    movdqa  xmm4, [rdi + {CHAINING} + 64]
    movdqa  xmm5, [rdi + {CHAINING} + 80]
    movdqa  xmm6, [rdi + {CHAINING} + 96]
    movdqa  xmm7, [rdi + {CHAINING} + 112]
    movdqa  xmm8, [rdi + {FOURTH_ROW}]
    movdqa  xmm9, [rdi + {FOURTH_ROW} + 16]
    movdqa  xmm10, [rdi + {FOURTH_ROW} + 32]
    movdqa  xmm11, [rdi + {FOURTH_ROW} + 48]
    lea     rdx, [rip + simd_blake3_words]
    mov     ecx, SIMD_ROUNDS
1:  simd_mix 0, 4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11
    simd_mix 1, 4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11
    simd_mix 2, 5, 6, 7, 4, 2, 3, 0, 1, 11, 8, 9, 10
    simd_mix 3, 5, 6, 7, 4, 2, 3, 0, 1, 11, 8, 9, 10
    add     rdx, 64
    dec     ecx
    jnz     1b
    simd_combine 0, [rdi + {THIRD_ROW}], 0
    simd_combine 1, [rdi + {THIRD_ROW} + 16], 1
    simd_combine 2, [rdi + {THIRD_ROW} + 32], 2
    simd_combine 3, [rdi + {THIRD_ROW} + 48], 3
    simd_combine 4, xmm8, 4
    simd_combine 5, xmm9, 5
    simd_combine 6, xmm10, 6
    simd_combine 7, xmm11, 7
    ret

.purgem simd_transpose
.purgem simd_rotate
.purgem simd_swap_halves
.purgem simd_add_to_row
.purgem simd_mix
.purgem simd_combine
.purgem simd_routine
