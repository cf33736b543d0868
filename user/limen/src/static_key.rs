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

/// Defines a static key, or an array of them, with the state that it has when it is not bound, and the symbol by which it
/// is bound: `symbol="trace"`, and `symbol="traces[2]"` for an element.
///
/// ```ignore
/// limen::static_key!(pub TRACE = false, "trace");
/// limen::static_key!(TRACES = [false; 4], "traces");
///
/// if limen::static_branch_unlikely!(TRACE) {
///     trace();
/// }
/// if limen::static_branch_unlikely!(TRACES, 2) {
///     trace();
/// }
/// ```
#[macro_export]
macro_rules! static_key {
    ($(#[$meta:meta])* $visibility:vis $name:ident = $default:literal, $symbol:literal) => {
        $crate::static_key!(@ [$(#[$meta])*] [$visibility] $name, $symbol,
            $crate::StaticKey, $crate::StaticKey::new($default));
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident = [$default:literal; $count:expr], $symbol:literal) => {
        $crate::static_key!(@ [$(#[$meta])*] [$visibility] $name, $symbol,
            [$crate::StaticKey; $count], [const { $crate::StaticKey::new($default) }; $count]);
    };
    (@ [$($meta:tt)*] [$visibility:vis] $name:ident, $symbol:literal, $type:ty, $value:expr) => {
        $($meta)*
        // SAFETY: no other symbol has this name: a program with two of them does not link.
        #[unsafe(export_name = $symbol)]
        #[unsafe(link_section = ".limen_keys")]
        #[used]
        $visibility static $name: $type = $value;
    };
}

/// Whether a key is on, for code that usually runs while it is off. An element of an array is `(NAME, index)`, with a
/// constant index.
#[macro_export]
macro_rules! static_branch_unlikely {
    ($($key:tt)*) => {
        'branch: {
            $crate::static_branch!("0", { break 'branch true }, $($key)*);
            false
        }
    };
}

/// Whether a key is on, for code that usually runs while it is on. An element of an array is `(NAME, index)`, with a
/// constant index.
#[macro_export]
macro_rules! static_branch_likely {
    ($($key:tt)*) => {
        'branch: {
            $crate::static_branch!("1", { break 'branch false }, $($key)*);
            true
        }
    };
}

/// An instruction that goes to `$taken` while the key is on (sense 0) or off (sense 1), and its row.
#[doc(hidden)]
#[macro_export]
macro_rules! static_branch {
    ($sense:literal, $taken:block, $key:path) => {
        $crate::static_branch!(@ $sense, $taken, $key, $key, 0)
    };
    ($sense:literal, $taken:block, $keys:path, $index:expr) => {
        $crate::static_branch!(@ $sense, $taken, $keys, $keys[$index], $index * size_of::<$crate::StaticKey>())
    };
    (@ $sense:literal, $taken:block, $symbol:path, $key:expr, $offset:expr) => {{
        const _: &$crate::StaticKey = &$key;
        // SAFETY: the instruction does nothing or goes to the label, and changes no register; the row says where they are.
        unsafe {
            ::core::arch::asm!(
                $crate::static_branch_instruction!(),
                ".pushsection limen_key_sites, \"\", %progbits",
                ".quad 771b",
                ".quad {target}",
                concat!(".quad {key} + {offset} + ", $sense),
                ".popsection",
                target = label $taken,
                key = sym $symbol,
                offset = const $offset,
                options(nomem, nostack, preserves_flags)
            )
        }
    }};
}
