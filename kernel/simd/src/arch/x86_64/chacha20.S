// ChaCha20: computes one block of the keystream, a row of the state in each register; or xors four blocks into a text, a
// word of all four in each register.

.macro simd_rotate register, by, scratch=4
    movdqa  xmm\scratch, xmm\register
    psrld   xmm\scratch, 32 - \by
    pslld   xmm\register, \by
    por     xmm\register, xmm\scratch
.endm

.macro simd_quarter_rounds
    paddd   xmm0, xmm1
    pxor    xmm3, xmm0
    pshuflw xmm3, xmm3, 0xb1
    pshufhw xmm3, xmm3, 0xb1
    paddd   xmm2, xmm3
    pxor    xmm1, xmm2
    simd_rotate 1, 12
    paddd   xmm0, xmm1
    pxor    xmm3, xmm0
    simd_rotate 3, 8
    paddd   xmm2, xmm3
    pxor    xmm1, xmm2
    simd_rotate 1, 7
.endm

// Rotates the rows to turn diagonals into columns, and back.
.macro simd_turn first, third
    pshufd  xmm1, xmm1, \first
    pshufd  xmm2, xmm2, 0x4e
    pshufd  xmm3, xmm3, \third
.endm

// rdi: the aligned state; rsi: the block to write.
simd_routine simd_chacha20_block, {BLOCK_REGISTERS}
    movdqa  xmm0, [rdi]
    movdqa  xmm1, [rdi + 16]
    movdqa  xmm2, [rdi + 32]
    movdqa  xmm3, [rdi + 48]
    mov     eax, {DOUBLE_ROUNDS}
1:  simd_quarter_rounds
    simd_turn 0x39, 0x93
    simd_quarter_rounds
    simd_turn 0x93, 0x39
    dec     eax
    jnz     1b
    paddd   xmm0, [rdi]
    paddd   xmm1, [rdi + 16]
    paddd   xmm2, [rdi + 32]
    paddd   xmm3, [rdi + 48]
    movdqu  [rsi], xmm0
    movdqu  [rsi + 16], xmm1
    movdqu  [rsi + 32], xmm2
    movdqu  [rsi + 48], xmm3
    ret

// Four quarter rounds at once, one in each lane.
.macro simd_quarter_round a, b, c, d
    paddd   xmm\a, xmm\b
    pxor    xmm\d, xmm\a
    pshuflw xmm\d, xmm\d, 0xb1
    pshufhw xmm\d, xmm\d, 0xb1
    paddd   xmm\c, xmm\d
    pxor    xmm\b, xmm\c
    simd_rotate \b, 12, 11
    paddd   xmm\a, xmm\b
    pxor    xmm\d, xmm\a
    simd_rotate \d, 8, 11
    paddd   xmm\c, xmm\d
    pxor    xmm\b, xmm\c
    simd_rotate \b, 7, 11
.endm

// Xors four words of each block into the text: turns registers with a word each into registers with a block each.
.macro simd_xor_words group, w0, w1, w2, w3, t0, t1
    movdqa  xmm\t0, xmm\w0
    punpckldq xmm\w0, xmm\w1
    punpckhdq xmm\t0, xmm\w1
    movdqa  xmm\t1, xmm\w2
    punpckldq xmm\w2, xmm\w3
    punpckhdq xmm\t1, xmm\w3
    movdqa  xmm\w1, xmm\w0
    punpcklqdq xmm\w0, xmm\w2
    punpckhqdq xmm\w1, xmm\w2
    movdqa  xmm\w3, xmm\t0
    punpcklqdq xmm\t0, xmm\t1
    punpckhqdq xmm\w3, xmm\t1
    simd_xor_text \w0, 16 * \group, \w2
    simd_xor_text \w1, 64 + 16 * \group, \w2
    simd_xor_text \t0, 128 + 16 * \group, \w2
    simd_xor_text \w3, 192 + 16 * \group, \w2
.endm

.macro simd_xor_text by, offset, scratch
    movdqu  xmm\scratch, [rsi + \offset]
    pxor    xmm\scratch, xmm\by
    movdqu  [rsi + \offset], xmm\scratch
.endm

// The stack: words 8 to 11, then the input, each word in four lanes.
.equ SIMD_SAVED, 0
.equ SIMD_INPUT, 64

// rdi: the aligned state of the first block; rsi: the text; rdx: how many times four blocks, not zero.
simd_routine simd_chacha20_four, {REGISTERS}
    mov     rcx, rsp
    sub     rsp, SIMD_INPUT + 256
    and     rsp, -16
    .irp    row, 0, 1, 2, 3
    movdqa  xmm0, [rdi + 16 * \row]
    pshufd  xmm1, xmm0, 0
    movdqa  [rsp + SIMD_INPUT + 64 * \row], xmm1
    pshufd  xmm1, xmm0, 0x55
    movdqa  [rsp + SIMD_INPUT + 64 * \row + 16], xmm1
    pshufd  xmm1, xmm0, 0xaa
    movdqa  [rsp + SIMD_INPUT + 64 * \row + 32], xmm1
    pshufd  xmm1, xmm0, 0xff
    movdqa  [rsp + SIMD_INPUT + 64 * \row + 48], xmm1
    .endr
    movdqa  xmm0, [rsp + SIMD_INPUT + 16 * 12]
    paddd   xmm0, [rip + simd_chacha20_lanes]
    movdqa  [rsp + SIMD_INPUT + 16 * 12], xmm0

    // Three of words 8 to 11 are in registers at a time, because 11 is needed for the rotations.
1:  movdqa  xmm11, [rsp + SIMD_INPUT + 16 * 11]
    movdqa  [rsp + SIMD_SAVED + 48], xmm11
    .irp    word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15
    movdqa  xmm\word, [rsp + SIMD_INPUT + 16 * \word]
    .endr
    mov     eax, {DOUBLE_ROUNDS}
2:  simd_quarter_round 0, 4, 8, 12
    simd_quarter_round 1, 5, 9, 13
    simd_quarter_round 2, 6, 10, 14
    movdqa  [rsp + SIMD_SAVED], xmm8
    movdqa  xmm8, [rsp + SIMD_SAVED + 48]
    simd_quarter_round 3, 7, 8, 15
    simd_quarter_round 1, 6, 8, 12
    simd_quarter_round 0, 5, 10, 15
    simd_quarter_round 3, 4, 9, 14
    movdqa  [rsp + SIMD_SAVED + 48], xmm8
    movdqa  xmm8, [rsp + SIMD_SAVED]
    simd_quarter_round 2, 7, 8, 13
    dec     eax
    jnz     2b

    movdqa  xmm11, [rsp + SIMD_SAVED + 48]
    .irp    word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    paddd   xmm\word, [rsp + SIMD_INPUT + 16 * \word]
    .endr
    movdqa  [rsp + SIMD_SAVED], xmm8
    movdqa  [rsp + SIMD_SAVED + 16], xmm9
    simd_xor_words 0, 0, 1, 2, 3, 8, 9
    simd_xor_words 1, 4, 5, 6, 7, 8, 9
    simd_xor_words 3, 12, 13, 14, 15, 8, 9
    movdqa  xmm8, [rsp + SIMD_SAVED]
    movdqa  xmm9, [rsp + SIMD_SAVED + 16]
    simd_xor_words 2, 8, 9, 10, 11, 0, 1

    movdqa  xmm0, [rsp + SIMD_INPUT + 16 * 12]
    paddd   xmm0, [rip + simd_chacha20_lanes + 16]
    movdqa  [rsp + SIMD_INPUT + 16 * 12], xmm0
    add     rsi, 256
    dec     rdx
    jnz     1b

    // The key and the last words of the keystream do not stay on the stack.
    pxor    xmm0, xmm0
    .irp    word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
    movdqa  [rsp + 16 * \word], xmm0
    .endr
    mov     rsp, rcx
    ret

.section .rodata.simd_chacha20_lanes, "a"
.balign 16
simd_chacha20_lanes:
    .long   0, 1, 2, 3
    .long   4, 4, 4, 4

.purgem simd_rotate
.purgem simd_quarter_rounds
.purgem simd_turn
.purgem simd_quarter_round
.purgem simd_xor_words
.purgem simd_xor_text
.purgem simd_routine
