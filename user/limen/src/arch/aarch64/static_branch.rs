//! A branch on a static key, before the tool writes its instruction: a jump in one word of eight bytes.

/// The jump.
#[doc(hidden)]
#[macro_export]
macro_rules! static_branch_instruction {
    () => {
        "771: b {target}"
    };
}
