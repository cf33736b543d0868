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
//! `static_branch_likely!` and `static_branch_unlikely!` both tell whether the key is on; the first lays out code for a key
//! that usually is. Either may be used with either default. An element of an array is `static_branch_unlikely!(KEYS, 3)`,
//! with an index that is known when the program is compiled.
//!
//! A key is a static:
//!
//! ```compile_fail,E0435
//! let key = limen_keys::StaticKey::<false>::new();
//! if limen_keys::static_branch_unlikely!(key) {}
//! ```

/// What a branch on a key is in this build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// An instruction that is patched.
    Patched,
    /// A load, a test and a conditional jump, as where code cannot be patched.
    Fallback,
    /// A constant, the default: to measure what keys cost.
    None,
}

/// What a branch on a key is in this build. `build.rs` chooses.
#[cfg(limen_keys = "patched")]
pub const BUILD: Build = Build::Patched;
/// What a branch on a key is in this build. `build.rs` chooses.
#[cfg(limen_keys = "fallback")]
pub const BUILD: Build = Build::Fallback;
/// What a branch on a key is in this build. `build.rs` chooses.
#[cfg(limen_keys = "none")]
pub const BUILD: Build = Build::None;

/// Defines a key, or an array of keys, with the state that it has in the linked program; `read_only` before the name is
/// for keys that keep their state once keys are sealed.
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

/// Whether a key is on, for code that usually runs while it is off.
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

/// Whether a key is on, for code that usually runs while it is on.
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

/// Macros for assembly, to be put before code that uses them:
///
/// ```text
/// core::arch::global_asm!(limen_keys::assembly!(), include_str!("trap.S"), TRACE = sym TRACE);
///
///     static_jump_if_on {TRACE}, 0, trace_entry, x9
/// ```
///
/// `static_jump_if_on` and `static_jump_if_off` take a key, its default (0 or 1; an element of an array is its symbol and an
/// offset), a label, and a register. Patched, they are one instruction that does nothing, or one jump. As a fallback they
/// change the register and the flags, so no code may rely on either, and are several instructions, which the symbol
/// `static_jump_is_long` tells on AArch64. What they jump to must lie in text with sites.
#[macro_export]
macro_rules! assembly {
    () => {
        $crate::assembly_jumps!()
    };
}

/// An instruction that goes to `$taken` while the key is on (sense 0) or off (sense 1), and a row of the table.
#[cfg(limen_keys = "patched")]
#[doc(hidden)]
#[macro_export]
macro_rules! site {
    ($taken:block, $sense:literal, $key:path) => {
        $crate::site!(@ $taken, $sense, $key, $key, 0)
    };
    ($taken:block, $sense:literal, $keys:path, $index:expr) => {
        $crate::site!(@ $taken, $sense, $keys, $keys[$index], $index * size_of::<$crate::Key>())
    };
    (@ $taken:block, $sense:literal, $symbol:path, $key:expr, $offset:expr) => {
        // SAFETY: the instruction does nothing or goes to the label, and changes no register; the row says where they are.
        #[allow(unsafe_code)]
        unsafe {
            core::arch::asm!(
                $crate::site_assembly!(),
                // Whether the linked program jumps; not every instruction set asks.
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

/// Whether a key is on, for code that usually runs while it is off.
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

/// Whether a key is on, for code that usually runs while it is on.
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

/// The condition, with its code out of the way of the other.
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
