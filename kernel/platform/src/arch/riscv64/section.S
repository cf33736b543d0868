// How a section saves, restores and clears two registers, and fcsr. a0: the save area.

.option push
.option arch, +d

.macro section_save first, second
    fsd     f\first, {REGISTERS} + 8 * \first(a0)
    fsd     f\second, {REGISTERS} + 8 * \second(a0)
.endm

.macro section_restore first, second
    fld     f\first, {REGISTERS} + 8 * \first(a0)
    fld     f\second, {REGISTERS} + 8 * \second(a0)
.endm

.macro section_clear first, second
    fmv.d.x f\first, zero
    fmv.d.x f\second, zero
.endm

.macro section_save_control
    fscsr   t0, zero
    sd      t0, {CONTROL}(a0)
.endm

.macro section_restore_control
    ld      t0, {CONTROL}(a0)
    fscsr   t0
.endm

.macro section_clear_control
    fscsr   zero
.endm
