// Starts a routine in a section of its own, and declares how many registers it changes.
.macro simd_routine name, registers
    .section .text.\name, "ax"
    .global \name
    .set    \name\().registers, \registers
\name:
.endm
