// Clears, compares and xors memory at any address. A remainder smaller than the registers is handled byte by byte.

.arch_extension simd
// x0: memory; x1: bytes.
simd_routine simd_clear, {REGISTERS}
    movi    v0.16b, #0
    movi    v1.16b, #0
    movi    v2.16b, #0
    movi    v3.16b, #0
    subs    x1, x1, #64
    b.lo    2f
1:  st1     {{v0.16b, v1.16b, v2.16b, v3.16b}}, [x0], #64
    subs    x1, x1, #64
    b.hs    1b
2:  adds    x1, x1, #(64 - 16)
    b.lo    4f
3:  st1     {{v0.16b}}, [x0], #16
    subs    x1, x1, #16
    b.hs    3b
4:  adds    x1, x1, #16
    b.eq    6f
5:  strb    wzr, [x0], #1
    subs    x1, x1, #1
    b.ne    5b
6:  ret

// x0, x1: memory; x2: bytes. Returns in x0 how many bytes at the start are equal.
simd_routine simd_first_difference, {REGISTERS}
    mov     x9, x0
    subs    x2, x2, #32
    b.lo    2f
1:  ld1     {{v0.16b, v1.16b}}, [x0]
    ld1     {{v2.16b, v3.16b}}, [x1]
    cmeq    v0.16b, v0.16b, v2.16b
    cmeq    v1.16b, v1.16b, v3.16b
    and     v0.16b, v0.16b, v1.16b
    uminv   b0, v0.16b
    umov    w10, v0.b[0]
    cbz     w10, 2f
    add     x0, x0, #32
    add     x1, x1, #32
    subs    x2, x2, #32
    b.hs    1b
    // A byte loop finds the difference within 32 bytes, and handles the end.
2:  adds    x2, x2, #32
    b.eq    4f
3:  ldrb    w10, [x0]
    ldrb    w11, [x1], #1
    cmp     w10, w11
    b.ne    4f
    add     x0, x0, #1
    subs    x2, x2, #1
    b.ne    3b
4:  sub     x0, x0, x9
    ret

// x0: memory to change; x1: the other operand; x2: bytes.
simd_routine simd_xor, {REGISTERS}
    subs    x2, x2, #32
    b.lo    2f
1:  ld1     {{v0.16b, v1.16b}}, [x0]
    ld1     {{v2.16b, v3.16b}}, [x1], #32
    eor     v0.16b, v0.16b, v2.16b
    eor     v1.16b, v1.16b, v3.16b
    st1     {{v0.16b, v1.16b}}, [x0], #32
    subs    x2, x2, #32
    b.hs    1b
2:  adds    x2, x2, #32
    b.eq    4f
3:  ldrb    w9, [x0]
    ldrb    w10, [x1], #1
    eor     w9, w9, w10
    strb    w9, [x0], #1
    subs    x2, x2, #1
    b.ne    3b
4:  ret

.purgem simd_routine
.arch_extension nofp
