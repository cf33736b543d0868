//! The macros that define keys and branch on them.
//!
//! ```
//! # fn trace() {}
//! limen_keys::static_key!(
//!     /// Whether calls are traced.
//!     pub TRACE = false
//! );
//!
//! fn call() {
//!     if limen_keys::static_branch_unlikely!(TRACE) {
//!         trace();
//!     }
//! }
//! # call();
//! ```
//!
//! Both `static_branch_likely!` and `static_branch_unlikely!` return whether the key is on; the first lays out code for
//! a key that is usually on. Both accept either default. An element of an array is `static_branch_unlikely!(KEYS, 3)`,
//! with a compile-time index.
//!
//! A key must be a static:
//!
//! ```compile_fail,E0435
//! let key = limen_keys::StaticKey::<false>::new();
//! if limen_keys::static_branch_unlikely!(key) {}
//! ```

/// How branches on keys are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// A patched instruction.
    Patched,
    /// A load, a test and a conditional jump, for machines that cannot patch code.
    Fallback,
    /// A constant, the default: measures what keys cost.
    None,
}

/// How branches on keys are compiled in this build. `build.rs` chooses.
#[cfg(limen_keys = "patched")]
pub const BUILD: Build = Build::Patched;
/// How branches on keys are compiled in this build. `build.rs` chooses.
#[cfg(limen_keys = "fallback")]
pub const BUILD: Build = Build::Fallback;
/// How branches on keys are compiled in this build. `build.rs` chooses.
#[cfg(limen_keys = "none")]
pub const BUILD: Build = Build::None;

/// Defines a key, or an array of keys, with its state in the linked program. `read_only` before the name makes a key
/// whose state is fixed once keys are sealed.
#[macro_export]
macro_rules! static_key {
    ($(#[$meta:meta])* $visibility:vis read_only $name:ident = $default:literal) => {
        $crate::static_key!(@ [$(#[$meta])*] [$visibility] $name,
            $crate::StaticKey<$default>, $crate::StaticKey::read_only());
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident = $default:literal) => {
        $crate::static_key!(@ [$(#[$meta])*] [$visibility] $name,
            $crate::StaticKey<$default>, $crate::StaticKey::new());
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident = [$default:literal; $count:expr]) => {
        $crate::static_key!(@ [$(#[$meta])*] [$visibility] $name,
            [$crate::StaticKey<$default>; $count], [const { $crate::StaticKey::new() }; $count]);
    };
    (@ [$($meta:tt)*] [$visibility:vis] $name:ident, $type:ty, $value:expr) => {
        $($meta)*
        #[unsafe(link_section = "limen_keys")]
        #[used]
        $visibility static $name: $type = $value;
    };
}

/// Whether a key is on, for keys that are usually off.
#[cfg(limen_keys = "patched")]
#[macro_export]
macro_rules! static_branch_unlikely {
    ($($key:tt)*) => {
        'branch: {
            $crate::site!({ break 'branch true }, 0, $($key)*);
            false
        }
    };
}

/// Whether a key is on, for keys that are usually on.
#[cfg(limen_keys = "patched")]
#[macro_export]
macro_rules! static_branch_likely {
    ($($key:tt)*) => {
        'branch: {
            $crate::site!({ break 'branch false }, 1, $($key)*);
            true
        }
    };
}

/// An instruction that jumps to `$taken` while the key is on (sense 0) or off (sense 1), and its row of the table.
#[cfg(limen_keys = "patched")]
#[doc(hidden)]
#[macro_export]
macro_rules! site {
    ($taken:block, $sense:literal, $key:path) => {
        $crate::site!(@ $taken, $sense, $key, $key, 0)
    };
    ($taken:block, $sense:literal, $keys:path, $index:expr) => {
        $crate::site!(@ $taken, $sense, $keys, $keys[$index], $index * size_of::<$crate::BranchKey>())
    };
    (@ $taken:block, $sense:literal, $symbol:path, $key:expr, $offset:expr) => {
        // SAFETY: the instruction is a nop or jumps to the label, and changes no register; the row describes both.
        #[allow(unsafe_code)]
        unsafe {
            core::arch::asm!(
                $crate::site_assembly!("{jumps}", "{target}", "{key} + {offset} + {sense}"),
                // Whether the linked program jumps; not every instruction set uses it.
                "/* {jumps} */",
                target = label $taken,
                key = sym $symbol,
                offset = const $offset,
                sense = const $sense,
                jumps = const ($key.default_state() != ($sense != 0)) as usize,
                options(nomem, nostack, preserves_flags)
            )
        }
    };
}

/// Whether a key is on, for keys that are usually off.
#[cfg(limen_keys = "fallback")]
#[macro_export]
macro_rules! static_branch_unlikely {
    ($key:path) => {
        $crate::branch::unlikely($key.is_enabled())
    };
    ($keys:path, $index:expr) => {
        $crate::branch::unlikely($keys[const { $index }].is_enabled())
    };
}

/// Whether a key is on, for keys that are usually on.
#[cfg(limen_keys = "fallback")]
#[macro_export]
macro_rules! static_branch_likely {
    ($key:path) => {
        !$crate::branch::unlikely(!$key.is_enabled())
    };
    ($keys:path, $index:expr) => {
        !$crate::branch::unlikely(!$keys[const { $index }].is_enabled())
    };
}

/// Whether a key is on by default.
#[cfg(limen_keys = "none")]
#[macro_export]
macro_rules! static_branch_unlikely {
    ($key:path) => {
        const { $key.default_state() }
    };
    ($keys:path, $index:expr) => {
        const { $keys[$index].default_state() }
    };
}

/// Whether a key is on by default.
#[cfg(limen_keys = "none")]
#[macro_export]
macro_rules! static_branch_likely {
    ($($key:tt)*) => {
        $crate::static_branch_unlikely!($($key)*)
    };
}

/// Returns the condition, and marks it unlikely.
#[cfg(limen_keys = "fallback")]
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn unlikely(condition: bool) -> bool {
    #[cold]
    fn cold() {}
    if condition {
        cold();
    }
    condition
}
