//! The assembly of sites: for `asm!`, and as macros for files of assembly. [`arch`](crate::arch) has the instructions.

/// The assembly of a site: its instruction, and its row of the table.
#[cfg(limen_keys = "patched")]
#[doc(hidden)]
#[macro_export]
macro_rules! site_assembly {
    ($jumps:literal, $target:literal, $key:literal) => {
        concat!(
            $crate::native!(site $jumps $target),
            ".pushsection limen_key_sites, \"awR\"
            .p2align 3
            .long 771b - .
            .long ",
            $target,
            " - .
            .quad ",
            $key,
            " - .
            .popsection
            "
        )
    };
}

/// Macros for assembly; they precede the code that uses them:
///
/// ```text
/// core::arch::global_asm!(limen_keys::assembly!(), include_str!("trap.S"), TRACE = sym TRACE);
///
///     static_jump_if_on {TRACE}, 0, trace_entry, x9
/// ```
///
/// `static_jump_if_on` and `static_jump_if_off` take a key, its default (0 or 1), a label, and a register. The key is a
/// symbol, with an offset for an element of an array. Patched, they are one `nop` or one jump. As a fallback they are
/// several instructions and clobber the register and the flags, so no code may rely on either; the symbol
/// `static_jump_is_long` marks this build. The label must be in text that may have sites.
#[macro_export]
macro_rules! assembly {
    () => {
        concat!(
            $crate::assembly_mark!(),
            ".macro static_jump_if_on key, default, label, scratch\n",
            $crate::assembly_jump!(on),
            ".endm
            .macro static_jump_if_off key, default, label, scratch\n",
            $crate::assembly_jump!(off),
            ".endm\n"
        )
    };
}

/// The symbol that marks macros of several instructions.
#[cfg(limen_keys = "fallback")]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_mark {
    () => {
        ".set static_jump_is_long, 1\n"
    };
}

/// The macros are single instructions.
#[cfg(not(limen_keys = "fallback"))]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_mark {
    () => {
        ""
    };
}

/// The body of a macro for assembly: a site.
#[cfg(limen_keys = "patched")]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_jump {
    (on) => {
        $crate::site_assembly!("\\default", "\\label", "\\key + 0")
    };
    (off) => {
        $crate::site_assembly!("\\default == 0", "\\label", "\\key + 1")
    };
}

/// The body of a macro for assembly: what the default makes of the jump.
#[cfg(limen_keys = "none")]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_jump {
    (on) => {
        concat!(".if \\default\n", $crate::native!(jump), " \\label\n.endif\n")
    };
    (off) => {
        concat!(".if \\default == 0\n", $crate::native!(jump), " \\label\n.endif\n")
    };
}

/// The body of a macro for assembly: a test of the count.
#[cfg(limen_keys = "fallback")]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_jump {
    (on) => {
        $crate::native!(jump_if_on)
    };
    (off) => {
        $crate::native!(jump_if_off)
    };
}
