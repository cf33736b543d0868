// Saves and loads the floating-point and SIMD registers by the instructions that boot has chosen.

// Selects all enabled components.
.macro all_components
    mov     eax, -1
    mov     edx, -1
.endm

.section .text.fpu, "ax"

// rdi: the area to save to.
.global fpu_save
fpu_save:
    cmp     byte ptr [rip + {method}], {XSAVE}
    jbe     1f
    all_components
    xsaveopt64 [rdi]
    ret
1:  jb      2f
    all_components
    xsave64 [rdi]
    ret
2:  fxsave64 [rdi]
    ret

// rdi: the area to load from.
.global fpu_load
fpu_load:
    cmp     byte ptr [rip + {method}], {XSAVE}
    jb      1f
    all_components
    xrstor64 [rdi]
    ret
1:  fxrstor64 [rdi]
    ret
