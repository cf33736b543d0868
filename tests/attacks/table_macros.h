/* Assembly macros with which ARCH/table.S writes the table of attacks. UNDEFINED is an undefined instruction of four
 * bytes. The layout of a line is that of struct attack, the endings are those of enum ending. */

    .equ EXCEPTION, 0
    .equ TRAPPED, 1
    .equ SYSTEM_CALL, 2
    .equ MEMORY, 3
    .equ HARMLESS, 4
    .equ UNCHECKED, 5

    .section .rodata.attack_table, "a"
    .balign 8
    .global attack_table
attack_table:

    .text
    .balign 8
    .global attack_code
attack_code:

/* An attack that must stop at `instruction`, after an optional `setup`. Only `setup` changes registers. */
.macro attack ending, number, code, instruction, setup
    .balign 4
.Lstart\@:
    \setup
.Lpoint\@:
    \instruction
.Lend\@:
    UNDEFINED
    .pushsection .rodata.attack_names, "a"
.Lname\@:
    .asciz "\instruction"
    .popsection
    .pushsection .rodata.attack_table, "a"
    .quad .Lname\@, .Lstart\@, .Lpoint\@, .Lend\@, \ending, \number, \code
    .ifb \setup
    .quad 0
    .else
    .quad 1
    .endif
    .popsection
.endm

/* An attack that is reported after its last instruction. */
.macro attack_after ending, number, code, instruction, setup
    .balign 4
.Lstart\@:
    \setup
    \instruction
.Lpoint\@:
.Lend\@:
    UNDEFINED
    .pushsection .rodata.attack_names, "a"
.Lname\@:
    .asciz "\instruction"
    .popsection
    .pushsection .rodata.attack_table, "a"
    .quad .Lname\@, .Lstart\@, .Lpoint\@, .Lend\@, \ending, \number, \code, 1
    .popsection
.endm

/* An instruction that is allowed and may change registers. */
.macro allowed instruction
    attack_after HARMLESS, 0, 0, "\instruction"
.endm

/* Code that the tester starts by its name. */
.macro code name
    .balign 4
    .global \name
\name:
.endm

/* After the last attack. */
.macro end_table
    .balign 4
    .global attack_code_end
attack_code_end:
    .section .rodata.attack_table, "a"
    .global attack_table_end
attack_table_end:
.endm
