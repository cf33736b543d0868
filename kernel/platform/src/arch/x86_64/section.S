// How a section saves, restores and clears two registers, and MXCSR. rdi: the save area.

.macro section_save first, second
    movups  [rdi + {REGISTERS} + 16 * \first], xmm\first
    movups  [rdi + {REGISTERS} + 16 * \second], xmm\second
.endm

.macro section_restore first, second
    movups  xmm\first, [rdi + {REGISTERS} + 16 * \first]
    movups  xmm\second, [rdi + {REGISTERS} + 16 * \second]
.endm

.macro section_clear first, second
    pxor    xmm\first, xmm\first
    pxor    xmm\second, xmm\second
.endm

.macro section_save_control
    stmxcsr [rdi + {CONTROL}]
    section_clear_control
.endm

.macro section_restore_control
    ldmxcsr [rdi + {CONTROL}]
.endm

.macro section_clear_control
    ldmxcsr [rip + {initial} + {CONTROL}]
.endm
