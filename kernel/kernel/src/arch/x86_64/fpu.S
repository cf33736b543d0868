// Exchanging the floating-point and SIMD registers.

.section .text.fpu, "ax"

// rdi: where the registers go; rsi: where the new ones come from.
.global fpu_exchange
fpu_exchange:
    fxsave64 [rdi]
    fxrstor64 [rsi]
    ret

// rdi: where the registers come from.
.global fpu_load
fpu_load:
    fxrstor64 [rdi]
    ret
