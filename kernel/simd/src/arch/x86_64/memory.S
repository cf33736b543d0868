// Clears, compares and xors memory at any address. A remainder smaller than a register is handled byte by byte.

// rdi: memory; rsi: bytes.
simd_routine simd_clear, {REGISTERS}
    pxor    xmm0, xmm0
    sub     rsi, 64
    jb      2f
1:  movdqu  [rdi], xmm0
    movdqu  [rdi + 16], xmm0
    movdqu  [rdi + 32], xmm0
    movdqu  [rdi + 48], xmm0
    add     rdi, 64
    sub     rsi, 64
    jae     1b
2:  add     rsi, 64 - 16
    jnc     4f
3:  movdqu  [rdi], xmm0
    add     rdi, 16
    sub     rsi, 16
    jae     3b
4:  add     rsi, 16
    jz      6f
5:  mov     byte ptr [rdi], 0
    inc     rdi
    dec     rsi
    jnz     5b
6:  ret

// rdi, rsi: memory; rdx: bytes. Returns in rax how many bytes at the start are equal.
simd_routine simd_first_difference, {REGISTERS}
    xor     eax, eax
    sub     rdx, 32
    jb      2f
1:  movdqu  xmm0, [rdi + rax]
    movdqu  xmm1, [rsi + rax]
    movdqu  xmm2, [rdi + rax + 16]
    movdqu  xmm3, [rsi + rax + 16]
    pcmpeqb xmm0, xmm1
    pcmpeqb xmm2, xmm3
    pand    xmm0, xmm2
    pmovmskb ecx, xmm0
    cmp     ecx, 0xffff
    jne     2f
    add     rax, 32
    sub     rdx, 32
    jae     1b
    // A byte loop finds the difference within 32 bytes, and handles the end.
2:  add     rdx, 32
    jz      4f
3:  mov     cl, [rdi + rax]
    cmp     cl, [rsi + rax]
    jne     4f
    inc     rax
    dec     rdx
    jnz     3b
4:  ret

// rdi: memory to change; rsi: the other operand; rdx: bytes.
simd_routine simd_xor, {REGISTERS}
    xor     eax, eax
    sub     rdx, 32
    jb      2f
1:  movdqu  xmm0, [rdi + rax]
    movdqu  xmm1, [rsi + rax]
    movdqu  xmm2, [rdi + rax + 16]
    movdqu  xmm3, [rsi + rax + 16]
    pxor    xmm0, xmm1
    pxor    xmm2, xmm3
    movdqu  [rdi + rax], xmm0
    movdqu  [rdi + rax + 16], xmm2
    add     rax, 32
    sub     rdx, 32
    jae     1b
2:  add     rdx, 32
    jz      4f
3:  mov     cl, [rsi + rax]
    xor     [rdi + rax], cl
    inc     rax
    dec     rdx
    jnz     3b
4:  ret

.purgem simd_routine
