// Saves the FPU registers to `save` and loads them from `load`, all enabled components, by the instructions that boot
// has chosen.

    cmp     byte ptr [rip + {method}], {XSAVE}
    jbe     2f
    mov     eax, -1
    mov     edx, -1
    xsaveopt64 [{save}]
    xrstor64 [{load}]
    jmp     4f
2:  jb      3f
    mov     eax, -1
    mov     edx, -1
    xsave64 [{save}]
    xrstor64 [{load}]
    jmp     4f
3:  fxsave64 [{save}]
    fxrstor64 [{load}]
4:
