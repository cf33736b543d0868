//! Branches on static keys: one instruction that does nothing, until the key is switched.
//!
//! The tool binds a program's key to one of the system, by the symbol: `<key name="net_trace" symbol="trace"/>`. A key
//! that is not bound keeps its default. Each branch is a jump and a row in a section that is not loaded, in the format of
//! `limen/static_key.h`.

use core::sync::atomic::AtomicU64;

/// A key of the program. The tool reads its default; the program does not read it.
#[derive(Debug)]
#[repr(transparent)]
pub struct StaticKey(AtomicU64);

impl StaticKey {
    /// A key with the state that it has when it is not bound.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(is_on_by_default: bool) -> Self {
        Self(AtomicU64::new(is_on_by_default as u64))
    }
}

/// Defines a static key with the state that it has when it is not bound, and the symbol by which it is bound.
///
/// ```ignore
/// limen::static_key!(pub TRACE = false, "trace");
///
/// if limen::static_branch_unlikely!(TRACE) {
///     trace();
/// }
/// ```
#[macro_export]
macro_rules! static_key {
    ($(#[$meta:meta])* $visibility:vis $name:ident = $default:literal, $symbol:literal) => {
        $(#[$meta])*
        // SAFETY: no other symbol has this name: a program with two of them does not link.
        #[unsafe(export_name = $symbol)]
        #[unsafe(link_section = ".data.limen_keys")]
        #[used]
        $visibility static $name: $crate::StaticKey = $crate::StaticKey::new($default);
    };
}

/// Whether a key is on, for code that usually runs while it is off.
#[macro_export]
macro_rules! static_branch_unlikely {
    ($key:path) => {
        'branch: {
            $crate::static_branch!($key, "0", { break 'branch true });
            false
        }
    };
}

/// Whether a key is on, for code that usually runs while it is on.
#[macro_export]
macro_rules! static_branch_likely {
    ($key:path) => {
        'branch: {
            $crate::static_branch!($key, "1", { break 'branch false });
            true
        }
    };
}

/// An instruction that goes to `$taken` while the key is on (sense 0) or off (sense 1), and its row.
#[doc(hidden)]
#[macro_export]
macro_rules! static_branch {
    ($key:path, $sense:literal, $taken:block) => {{
        let _: &$crate::StaticKey = &$key;
        // SAFETY: the instruction does nothing or goes to the label, and changes no register; the row says where they are.
        unsafe {
            ::core::arch::asm!(
                $crate::static_branch_instruction!(),
                ".pushsection limen_key_sites, \"\", %progbits",
                ".quad 771b",
                ".quad {target}",
                concat!(".quad {key} + ", $sense),
                ".popsection",
                target = label $taken,
                key = sym $key,
                options(nomem, nostack, preserves_flags)
            )
        }
    }};
}
