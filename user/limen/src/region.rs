//! Memory regions and other values that the description sets, by symbol.
//!
//! Memory that other programs or devices change must not be a plain Rust value. A region is a slice of atomics, of
//! [`Volatile`] cells, or of structures of these ([`shared!`](crate::shared)). References to such memory may be shared,
//! so several symbols for the same region do no harm.

use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::slice;
use core::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize, Ordering,
};

use limen_abi::limits::PAGE_BYTES;

/// A type for memory that other programs and devices change at any time.
///
/// # Safety
/// Every bit pattern is a valid value. All accesses go through shared references and are atomic or volatile, so
/// concurrent changes are allowed.
#[expect(unsafe_code, reason = "implementations make a promise")]
pub unsafe trait Shared: Sync {}

macro_rules! shared_types {
    ($($type:ty)+) => {
        $(
            #[expect(unsafe_code, reason = "a promise")]
            // SAFETY: an atomic integer.
            unsafe impl Shared for $type {}
        )+
    };
}

shared_types! { AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize }

#[expect(unsafe_code, reason = "a promise")]
// SAFETY: elements keep it, and there is nothing between them.
unsafe impl<T: Shared, const COUNT: usize> Shared for [T; COUNT] {}

/// A device register. Each `read` and `write` is exactly one access of the type's width.
#[repr(transparent)]
pub struct Volatile<T>(UnsafeCell<T>);

impl<T> fmt::Debug for Volatile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Volatile")
    }
}

macro_rules! volatile_types {
    ($($type:ty)+) => {
        $(
            impl Volatile<$type> {
                /// Reads it.
                #[must_use]
                #[inline(always)]
                pub fn read(&self) -> $type {
                    #[expect(unsafe_code, reason = "a device's register")]
                    // SAFETY: the reference is valid, and a program has one thread, so only the device writes meanwhile.
                    unsafe {
                        self.0.get().read_volatile()
                    }
                }

                /// Writes it.
                #[inline(always)]
                pub fn write(&self, value: $type) {
                    #[expect(unsafe_code, reason = "a device's register")]
                    // SAFETY: as in `read`.
                    unsafe {
                        self.0.get().write_volatile(value);
                    }
                }
            }

            #[expect(unsafe_code, reason = "a promise")]
            // SAFETY: a program has one thread.
            unsafe impl Sync for Volatile<$type> {}

            #[expect(unsafe_code, reason = "a promise")]
            // SAFETY: an integer, which is read and written through shared references, by volatile accesses.
            unsafe impl Shared for Volatile<$type> {}
        )+
    };
}

volatile_types! { u8 u16 u32 u64 }

/// Defines structures that memory regions may hold, laid out as in C.
///
/// ```
/// # use core::sync::atomic::{AtomicU32, AtomicU64};
/// limen::shared! {
///     /// A queue with one writer and one reader.
///     pub struct Queue {
///         /// Entries that were ever written.
///         pub written: AtomicU32,
///         /// Entries that were ever read.
///         pub read: AtomicU32,
///         /// Entry n is at n modulo 64.
///         pub entries: [AtomicU64; 64],
///     }
/// }
/// # let _: Option<Queue> = None;
/// ```
#[macro_export]
macro_rules! shared {
    ($($(#[$meta:meta])* $visibility:vis struct $Name:ident {
        $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty),+ $(,)?
    })+) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            $visibility struct $Name {
                $($(#[$field_meta])* $field_visibility $field: $type,)+
            }

            // SAFETY: every field is `Shared`, which the constant checks; padding is never read.
            unsafe impl $crate::Shared for $Name {}

            const _: () = {
                const fn is_shared<T: $crate::Shared>() {}
                $(is_shared::<$type>();)+
            };
        )+
    };
}

/// A word that the tool sets in the program image.
#[derive(Debug)]
#[repr(transparent)]
pub struct Setvar(AtomicU64);

impl Setvar {
    /// A word that is zero unless the description sets it.
    #[doc(hidden)]
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// A word that no description sets.
    #[doc(hidden)]
    #[must_use]
    pub const fn fixed(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }

    /// The value that the description sets; zero if it sets none.
    #[must_use]
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Setvar {
    fn default() -> Self {
        Self::new()
    }
}

/// The size of memory that is always one page; no description sets it.
#[doc(hidden)]
pub static ONE_PAGE: Setvar = Setvar::fixed(PAGE_BYTES);

/// Defines a word that the description sets, by the symbol of its `setvar` attribute or element.
///
/// ```
/// limen::setvar!(
///     /// `<irq irq="33" id="2" setvar_id="uart_irq"/>`
///     pub UART_IRQ = "uart_irq"
/// );
/// assert_eq!(UART_IRQ.get(), 0);
/// ```
#[macro_export]
macro_rules! setvar {
    ($(#[$meta:meta])* $visibility:vis $name:ident = $symbol:literal) => {
        $(#[$meta])*
        // SAFETY: no other symbol has this name: a program with two of them does not link.
        #[unsafe(export_name = $symbol)]
        #[unsafe(link_section = ".data.limen_setvar")]
        #[used]
        $visibility static $name: $crate::Setvar = $crate::Setvar::new();
    };
}

/// A memory region that the description maps, as a slice of `T` with as many elements as fit.
///
/// It is empty if the description does not set both of its symbols. Made by [`region!`](crate::region!).
pub struct Region<T: Shared + 'static> {
    address: &'static Setvar,
    bytes: &'static Setvar,
    elements: PhantomData<&'static [T]>,
}

impl<T: Shared> fmt::Debug for Region<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Region of {} bytes at {:#x}", self.bytes.get(), self.address.get())
    }
}

impl<T: Shared> Region<T> {
    /// The region of two symbols.
    ///
    /// # Safety
    /// The tool sets them to address and size of one mapping, or leaves them alone: S12 of `docs/soundness.md`.
    #[doc(hidden)]
    #[must_use]
    #[expect(unsafe_code, reason = "the caller names the symbols")]
    pub const unsafe fn new(address: &'static Setvar, bytes: &'static Setvar) -> Self {
        assert!(size_of::<T>() != 0 && align_of::<T>() <= PAGE_BYTES as usize);
        Self { address, bytes, elements: PhantomData }
    }

    /// Its elements, for as long as the program runs.
    #[must_use]
    #[inline]
    pub fn elements(&self) -> &'static [T] {
        let address = self.address.get();
        let count = self.bytes.get() as usize / size_of::<T>();
        if address == 0 || !address.is_multiple_of(PAGE_BYTES) {
            return &[];
        }
        #[expect(unsafe_code, reason = "memory that the description maps")]
        // SAFETY: the caller of `new` promises that so many bytes are mapped there, from the start of a page, which aligns
        // every `T`. They overlap no Rust value, because the tool maps no region over the program's own memory. Every bit
        // pattern is a valid `T`, and `T: Shared` allows concurrent changes.
        unsafe {
            slice::from_raw_parts(core::ptr::with_exposed_provenance(address as usize), count)
        }
    }
}

impl<T: Shared> Deref for Region<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.elements()
    }
}

/// Defines a memory region by the symbols that the description sets for one `map` element, of the address and of the size.
///
/// ```
/// # use core::sync::atomic::AtomicU64;
/// limen::region!(
///     /// `<map mr="numbers" vaddr="0x4000000" setvar_vaddr="numbers" setvar_size="numbers_size"/>`
///     pub NUMBERS: AtomicU64, address = "numbers", bytes = "numbers_size"
/// );
/// assert!(NUMBERS.is_empty(), "the symbols are not set");
/// ```
#[macro_export]
macro_rules! region {
    ($(#[$meta:meta])* $visibility:vis $name:ident: $type:ty, address = $address:literal, bytes = $bytes:literal) => {
        $(#[$meta])*
        $visibility static $name: $crate::Region<$type> = {
            $crate::setvar!(ADDRESS = $address);
            $crate::setvar!(BYTES = $bytes);
            // SAFETY: the description names both symbols in one `map` element: S12.
            unsafe {
                $crate::Region::new(&ADDRESS, &BYTES)
            }
        };
    };
}
