//! Static calls: calls of a function that is exchanged at run time, at the cost of a direct call.
//!
//! ```text
//!   call NAME ---.
//!   call NAME ---+--> NAME: jump TARGET      the one patched instruction
//!   call NAME ---'
//! ```
//!
//! A function pointer would be loaded and called indirectly, which processors predict worse and some mitigations forbid.
//! Here every call is direct, and so is the jump behind it. One store exchanges the target for all callers at once,
//! whatever their number; a call that has already passed the jump continues in the old target.
//!
//! ```
//! extern "C" fn first(value: u64) -> u64 {
//!     value + 1
//! }
//!
//! limen_keys::static_call!(
//!     /// The policy in use.
//!     pub fn choose(value: u64) -> u64 = first
//! );
//!
//! # extern "C" fn second(value: u64) -> u64 { value + 2 }
//! # use limen_keys::{KeyError, Keys, encoding::Encoding, engine::Engine};
//! # fn f<A: Encoding, E: Engine>(keys: &mut Keys<'_, A, E>) -> Result<(), KeyError> {
//! assert_eq!(choose(1), 2);
//! keys.set_call::<choose>(second)?;
//! # Ok(())
//! # }
//! # assert_eq!(choose(1), 2);
//! ```
//!
//! The target has the type of the call:
//!
//! ```compile_fail,E0308
//! extern "C" fn first(value: u64) -> u64 {
//!     value + 1
//! }
//! extern "C" fn other() {}
//! limen_keys::static_call!(fn choose(value: u64) -> u64 = first);
//! # use limen_keys::{KeyError, Keys, encoding::Encoding, engine::Engine};
//! # fn f<A: Encoding, E: Engine>(keys: &mut Keys<'_, A, E>) {
//! let _ = keys.set_call::<choose>(other);
//! # }
//! ```

use core::sync::atomic::AtomicUsize;

/// A static call. Only [`static_call!`](crate::static_call) implements it, for a type with the name of the function.
#[doc(hidden)]
pub trait StaticCall {
    /// The type of its targets.
    type Target: Copy;
    /// The address of a target.
    fn address(target: Self::Target) -> usize;
    /// The address of the jump, or in builds that do not patch code, of [`Self::slot`]'s function.
    fn site() -> usize;
    /// The target in builds that do not patch code; zero means the default.
    fn slot() -> &'static AtomicUsize;
}

/// The alignment of a jump: it then lies in one word.
#[doc(hidden)]
pub const ALIGNMENT: usize = 8;

/// Defines a function whose target can be exchanged with [`Keys::set_call`](crate::Keys::set_call), and a type of the same
/// name that stands for it there. All targets are `extern "C"`.
#[macro_export]
macro_rules! static_call {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? =
        $default:path) => {
        $crate::static_call_function!([$(#[$meta])*] [$visibility] $name ($($argument: $type),*) [$(-> $result)?] $default);

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        $visibility enum $name {}

        impl $crate::call::StaticCall for $name {
            type Target = extern "C" fn($($type),*) $(-> $result)?;

            fn address(target: Self::Target) -> usize {
                target as usize
            }

            fn site() -> usize {
                // The default must have the type, too.
                const _: extern "C" fn($($type),*) $(-> $result)? = $default;
                ($name as Self::Target as usize).next_multiple_of($crate::call::ALIGNMENT)
            }

            fn slot() -> &'static core::sync::atomic::AtomicUsize {
                static SLOT: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
                &SLOT
            }
        }
    };
}

/// The function of a static call: a jump.
#[cfg(limen_keys = "patched")]
#[doc(hidden)]
#[macro_export]
macro_rules! static_call_function {
    ([$($meta:tt)*] [$visibility:vis] $name:ident ($($argument:ident: $type:ty),*) [$($result:tt)*] $default:path) => {
        $($meta)*
        // SAFETY: the jump leads to a function of the same type, which returns to the caller.
        #[allow(unsafe_code)]
        #[unsafe(naked)]
        $visibility extern "C" fn $name($($argument: $type),*) $($result)* {
            core::arch::naked_asm!(".p2align 3", $crate::native!(call "{target}"), target = sym $default)
        }
    };
}

/// The function of a static call: it loads the address of the target.
#[cfg(limen_keys = "fallback")]
#[doc(hidden)]
#[macro_export]
macro_rules! static_call_function {
    ([$($meta:tt)*] [$visibility:vis] $name:ident ($($argument:ident: $type:ty),*) [$($result:tt)*] $default:path) => {
        $($meta)*
        $visibility extern "C" fn $name($($argument: $type),*) $($result)* {
            type Target = <$name as $crate::call::StaticCall>::Target;
            let address = <$name as $crate::call::StaticCall>::slot().load(core::sync::atomic::Ordering::Acquire);
            let target = core::ptr::with_exposed_provenance::<()>(address);
            // SAFETY: `set_call` stores only addresses of functions of this type.
            #[allow(unsafe_code)]
            let target = if address == 0 { $default } else { unsafe { core::mem::transmute::<*const (), Target>(target) } };
            target($($argument),*)
        }
    };
}

/// The function of a static call: the default.
#[cfg(limen_keys = "none")]
#[doc(hidden)]
#[macro_export]
macro_rules! static_call_function {
    ([$($meta:tt)*] [$visibility:vis] $name:ident ($($argument:ident: $type:ty),*) [$($result:tt)*] $default:path) => {
        $($meta)*
        $visibility extern "C" fn $name($($argument: $type),*) $($result)* {
            $default($($argument),*)
        }
    };
}
