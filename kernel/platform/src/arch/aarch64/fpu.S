// Saves and loads the floating-point and SIMD registers.

.arch_extension fp
.section .text.fpu, "ax"

// x0: the area to save to.
.global fpu_save
fpu_save:
    mrs     x9, fpsr
    mrs     x10, fpcr
    stp     x9, x10, [x0]
    stp     q0, q1, [x0, #16]
    stp     q2, q3, [x0, #48]
    stp     q4, q5, [x0, #80]
    stp     q6, q7, [x0, #112]
    stp     q8, q9, [x0, #144]
    stp     q10, q11, [x0, #176]
    stp     q12, q13, [x0, #208]
    stp     q14, q15, [x0, #240]
    stp     q16, q17, [x0, #272]
    stp     q18, q19, [x0, #304]
    stp     q20, q21, [x0, #336]
    stp     q22, q23, [x0, #368]
    stp     q24, q25, [x0, #400]
    stp     q26, q27, [x0, #432]
    stp     q28, q29, [x0, #464]
    stp     q30, q31, [x0, #496]
    ret

// x0: the area to load from.
.global fpu_load
fpu_load:
    ldp     x9, x10, [x0]
    ldp     q0, q1, [x0, #16]
    ldp     q2, q3, [x0, #48]
    ldp     q4, q5, [x0, #80]
    ldp     q6, q7, [x0, #112]
    ldp     q8, q9, [x0, #144]
    ldp     q10, q11, [x0, #176]
    ldp     q12, q13, [x0, #208]
    ldp     q14, q15, [x0, #240]
    ldp     q16, q17, [x0, #272]
    ldp     q18, q19, [x0, #304]
    ldp     q20, q21, [x0, #336]
    ldp     q22, q23, [x0, #368]
    ldp     q24, q25, [x0, #400]
    ldp     q26, q27, [x0, #432]
    ldp     q28, q29, [x0, #464]
    ldp     q30, q31, [x0, #496]
    msr     fpsr, x9
    msr     fpcr, x10
    ret

.arch_extension nofp
