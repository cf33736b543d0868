// AES-GCM with the processor's instructions for AES and for products of polynomials.

// edi: a word. Returns it with each byte substituted. All columns are equal, so moving bytes between them does nothing.
simd_routine simd_aes_sub_word, {REGISTERS}
    movd    xmm0, edi
    pshufd  xmm0, xmm0, 0
    pxor    xmm1, xmm1
    aesenclast xmm0, xmm1
    movd    eax, xmm0
    ret

.macro simd_aes_round key
    aesenc  xmm0, \key
    aesenc  xmm1, \key
    aesenc  xmm2, \key
    aesenc  xmm3, \key
.endm

// rdi: the round keys; rsi: rounds; rdx: the aligned counter, a number; rcx: the text; r8: how many times four blocks, not
// zero. Xors encrypted counters into the text.
simd_routine simd_aes_counter, {REGISTERS}
    movdqa  xmm4, [rdx]
    shl     esi, 4
    lea     rsi, [rdi + rsi - 160]
1:  .irp    block, 0, 1, 2, 3
    movdqa  xmm\block, xmm4
    paddd   xmm4, [rip + simd_aes_one]
    pshufb  xmm\block, [rip + simd_aes_reversed]
    pxor    xmm\block, [rdi]
    .endr
    // Fourteen rounds, or ten.
    cmp     rsi, rdi
    je      2f
    .irp    round, 1, 2, 3, 4
    simd_aes_round [rdi + 16 * \round]
    .endr
2:  .irp    round, 1, 2, 3, 4, 5, 6, 7, 8, 9
    simd_aes_round [rsi + 16 * \round]
    .endr
    .irp    block, 0, 1, 2, 3
    aesenclast xmm\block, [rsi + 160]
    movdqu  xmm5, [rcx + 16 * \block]
    pxor    xmm5, xmm\block
    movdqu  [rcx + 16 * \block], xmm5
    .endr
    add     rcx, 64
    dec     r8
    jnz     1b
    ret

// Adds the product of a block and a power to xmm1 (low half), xmm2 (high), xmm3 (middle). `sum` is added to the block.
.macro simd_ghash_block offset, power, sum
    movdqu  xmm4, [rdx + \offset]
    pshufb  xmm4, [rip + simd_aes_reversed]
    .ifnb   \sum
    pxor    xmm4, xmm\sum
    .endif
    movdqa  xmm5, xmm4
    pclmulqdq xmm5, [rsi + \power], 0x00
    pxor    xmm1, xmm5
    movdqa  xmm5, xmm4
    pclmulqdq xmm5, [rsi + \power], 0x11
    pxor    xmm2, xmm5
    movdqa  xmm5, xmm4
    pclmulqdq xmm5, [rsi + \power], 0x01
    pxor    xmm3, xmm5
    pclmulqdq xmm4, [rsi + \power], 0x10
    pxor    xmm3, xmm4
.endm

.macro simd_ghash_begin
    pxor    xmm1, xmm1
    pxor    xmm2, xmm2
    pxor    xmm3, xmm3
.endm

// Reduces the product to xmm0, and divides it by x^128: a multiple of the polynomial clears the low half.
.macro simd_ghash_end
    movdqa  xmm4, xmm3
    pslldq  xmm4, 8
    psrldq  xmm3, 8
    pxor    xmm1, xmm4
    pxor    xmm2, xmm3
    .rept   2
    movdqa  xmm4, xmm1
    pclmulqdq xmm4, [rip + simd_ghash_polynomial], 0x00
    pshufd  xmm1, xmm1, 0x4e
    pxor    xmm1, xmm4
    .endr
    movdqa  xmm0, xmm1
    pxor    xmm0, xmm2
.endm

// rdi: the aligned sum; rsi: the aligned powers of the key, the first to the fourth; rdx: blocks; rcx: how many, not zero.
simd_routine simd_ghash, {REGISTERS}
    movdqa  xmm0, [rdi]
    sub     rcx, 4
    jb      2f
1:  simd_ghash_begin
    simd_ghash_block 0, 48, 0
    simd_ghash_block 16, 32
    simd_ghash_block 32, 16
    simd_ghash_block 48, 0
    simd_ghash_end
    add     rdx, 64
    sub     rcx, 4
    jae     1b
2:  add     rcx, 4
    jz      4f
3:  simd_ghash_begin
    simd_ghash_block 0, 0, 0
    simd_ghash_end
    add     rdx, 16
    dec     rcx
    jnz     3b
4:  movdqa  [rdi], xmm0
    ret

.section .rodata.simd_aes, "a"
.balign 16
simd_aes_reversed:
    .byte   15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
simd_aes_one:
    .long   1, 0, 0, 0
simd_ghash_polynomial:
    .quad   {POLYNOMIAL}, 0

.purgem simd_aes_round
.purgem simd_ghash_block
.purgem simd_ghash_begin
.purgem simd_ghash_end
.purgem simd_routine
