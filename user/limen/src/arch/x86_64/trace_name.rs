//! The offset of a name in the section of a program's trace names, as a constant in the code.

/// Loads the offset of label 772.
#[doc(hidden)]
#[macro_export]
macro_rules! trace_name_offset {
    () => {
        "lea {name:e}, [772b]"
    };
}
