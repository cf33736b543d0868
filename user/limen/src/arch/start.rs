//! The start of a program. Each start and restart begins with an empty stack and flags that are clear; a walk of the stack
//! ends here.

/// Defines the first instruction. `{top}` stands for the end of the stack.
macro_rules! start {
    ($($instruction:literal)+) => {
        // SAFETY: the link script puts this first, and a program has nothing on its stack when it starts.
        core::arch::global_asm!(
            ".pushsection .text.start, \"ax\"",
            ".global _start",
            ".type _start, %function",
            "_start:",
            $($instruction,)+
            ".size _start, . - _start",
            ".popsection",
            top = const crate::buffer::STACK_TOP,
        );
    };
}
pub(crate) use start;
