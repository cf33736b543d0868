//! A branch on a static key, before the tool writes its instruction: a jump in one word of eight bytes.

/// The jump: four bytes, aligned within the word by at most one short instruction that does nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! static_branch_instruction {
    () => {
        ".p2align 3, , 2
        .option push
        .option norvc
        .option norelax
        771: j {target}
        .option pop"
    };
}
