// Saves, restores and clears registers for a section: the part that all ports share. A routine for many registers falls
// through to the one for fewer, and each declares how many it uses. A port defines the step for two registers and the
// one for the control words.

.macro section_begins act, name, registers
.global fpu_\act\()_\name
.set fpu_\act\()_\name\().registers, \registers
fpu_\act\()_\name\():
.endm

.macro section_routines act
    section_begins \act, all, {COUNT}
    .if {COUNT} > 16
    section_\act 16, 17
    section_\act 18, 19
    section_\act 20, 21
    section_\act 22, 23
    section_\act 24, 25
    section_\act 26, 27
    section_\act 28, 29
    section_\act 30, 31
    section_begins \act, 16, 16
    .else
    .global fpu_\act\()_16
    .set fpu_\act\()_16, fpu_\act\()_all
    .endif
    section_\act 8, 9
    section_\act 10, 11
    section_\act 12, 13
    section_\act 14, 15
    section_begins \act, 8, 8
    section_\act 4, 5
    section_\act 6, 7
    section_begins \act, 4, 4
    section_\act 0, 1
    section_\act 2, 3
    ret
    section_begins \act, control, 0
    section_\act\()_control
    ret
.endm

.section .text.fpu, "ax"
section_routines save
section_routines restore
section_routines clear
