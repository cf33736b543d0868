// How a section saves, restores and clears two registers, and FPSR and FPCR. x0: the save area.

.arch_extension simd

.macro section_save first, second
    stp     q\first, q\second, [x0, #{REGISTERS} + 16 * \first]
.endm

.macro section_restore first, second
    ldp     q\first, q\second, [x0, #{REGISTERS} + 16 * \first]
.endm

.macro section_clear first, second
    movi    v\first\().2d, #0
    movi    v\second\().2d, #0
.endm

.macro section_save_control
    mrs     x9, fpsr
    mrs     x10, fpcr
    stp     x9, x10, [x0, #{CONTROL}]
    section_clear_control
.endm

.macro section_restore_control
    ldp     x9, x10, [x0, #{CONTROL}]
    msr     fpsr, x9
    msr     fpcr, x10
.endm

.macro section_clear_control
    msr     fpsr, xzr
    msr     fpcr, xzr
.endm
