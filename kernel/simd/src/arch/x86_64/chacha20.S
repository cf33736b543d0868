// ChaCha20: computes one block of the keystream, a row of the state in each register.

.macro simd_rotate register, by
    movdqa  xmm4, xmm\register
    psrld   xmm4, 32 - \by
    pslld   xmm\register, \by
    por     xmm\register, xmm4
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

.section .text.simd_chacha20_block, "ax"

// rdi: the aligned state; rsi: the block to write.
.global simd_chacha20_block
.set simd_chacha20_block.registers, {REGISTERS}
simd_chacha20_block:
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

.purgem simd_rotate
.purgem simd_quarter_rounds
.purgem simd_turn
