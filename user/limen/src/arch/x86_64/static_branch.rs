//! A branch on a static key, before the tool writes its instruction: a jump in one word of eight bytes.

/// The jump. Only of jumps does the assembler choose the shortest. Prefixes that do nothing fill up.
#[doc(hidden)]
#[macro_export]
macro_rules! static_branch_instruction {
    () => {
        ".p2align 3, 0x3e, 4
        771: jmp {target}"
    };
}
