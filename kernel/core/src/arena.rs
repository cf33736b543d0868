//! Fixed arrays of objects, and the typed indices that are the only links between objects.
//!
//! An [`Id`] is a number from 1 to the capacity. Its array index is that number masked with `capacity - 1`, so the id
//! that equals the capacity names element 0. Zero is the niche for `None`: `Option<Id>` is as small as `Id`, and an
//! access is one masked load that is always in bounds and cannot panic.

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU16;
use core::ops::{Index, IndexMut};

use limen_abi::limits;

/// The id of an object of kind `Tag`.
pub struct Id<Tag>(NonZeroU16, PhantomData<fn() -> Tag>);

impl<Tag> Id<Tag> {
    /// An id that is valid in every arena; a placeholder in unused records.
    pub const ANY: Self = Self(NonZeroU16::MIN, PhantomData);

    /// Returns 1 to the capacity of the arena, or 0 for `None`. This is the representation in memory, so no branch is
    /// needed.
    #[must_use]
    #[inline]
    pub fn number(id: Option<Self>) -> usize {
        id.map_or(0, |id| usize::from(id.0.get()))
    }
}

impl<Tag> Clone for Id<Tag> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<Tag> Copy for Id<Tag> {}
impl<Tag> PartialEq for Id<Tag> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<Tag> Eq for Id<Tag> {}
impl<Tag> fmt::Debug for Id<Tag> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl<Tag> Id<Tag> {
    /// Returns whether both name the same object or both are `None`, in one comparison.
    #[inline]
    pub(crate) fn same(a: Option<Self>, b: Option<Self>) -> bool {
        let number = |id: Option<Self>| id.map_or(0, |id| id.0.get());
        number(a) == number(b)
    }
}

impl limen_fpu::Name for ThreadId {
    #[inline]
    fn same(a: Option<Self>, b: Option<Self>) -> bool {
        Self::same(a, b)
    }

    fn is_trusted(self) -> bool {
        self.is_at_work()
    }
}

/// The kinds of object that an [`Id`] can name.
pub mod tag {
    /// A thread.
    #[derive(Debug)]
    pub enum Thread {}
    /// An endpoint.
    #[derive(Debug)]
    pub enum Endpoint {}
    /// A notification.
    #[derive(Debug)]
    pub enum Notification {}
    /// A reply object.
    #[derive(Debug)]
    pub enum Reply {}
    /// A scheduling context.
    #[derive(Debug)]
    pub enum SchedContext {}
    /// An address space.
    #[derive(Debug)]
    pub enum Vspace {}
    /// An interrupt.
    #[derive(Debug)]
    pub enum Irq {}
    /// A static key.
    #[derive(Debug)]
    pub enum Key {}
    /// A service.
    #[derive(Debug)]
    pub enum Service {}
    /// A ring of samples.
    #[derive(Debug)]
    pub enum SampleRing {}
}

/// The id of a thread.
pub type ThreadId = Id<tag::Thread>;
/// The id of an endpoint.
pub type EndpointId = Id<tag::Endpoint>;
/// The id of a notification.
pub type NotificationId = Id<tag::Notification>;
/// The id of a reply object.
pub type ReplyId = Id<tag::Reply>;
/// The id of a scheduling context.
pub type SchedContextId = Id<tag::SchedContext>;
/// The id of an address space.
pub type VspaceId = Id<tag::Vspace>;
/// The id of an interrupt.
pub type IrqId = Id<tag::Irq>;
/// The id of a static key.
pub type KeyId = Id<tag::Key>;
/// The id of a service.
pub type ServiceId = Id<tag::Service>;
/// The id of a ring of samples.
pub type SampleRingId = Id<tag::SampleRing>;

/// Thread ids above this number stand for threads on whose behalf the kernel runs a service.
const AT_WORK: u16 = limits::THREADS as u16;

impl ThreadId {
    /// Returns the id under which this thread uses the floating-point unit while the kernel runs a service for it. It
    /// names the same element of every arena; its number is higher by the number of threads.
    #[must_use]
    pub fn at_work(self) -> Self {
        if self.is_at_work() { self } else { Self(self.0.saturating_add(AT_WORK), PhantomData) }
    }

    /// Returns whether [`Self::at_work`] made this id.
    #[must_use]
    pub fn is_at_work(self) -> bool {
        self.0.get() > AT_WORK
    }
}

/// `N` objects of type `T`, indexed by `Id<Tag>`. `N` is a power of two.
#[derive(Debug)]
pub struct Arena<Tag, T, const N: usize> {
    items: [T; N],
    tag: PhantomData<fn() -> Tag>,
}

impl<Tag, T, const N: usize> Arena<Tag, T, N> {
    const MASK: usize = {
        assert!(N.is_power_of_two() && N <= 1 << 15);
        N - 1
    };

    /// Creates an arena of these objects.
    pub const fn new(items: [T; N]) -> Self {
        Self { items, tag: PhantomData }
    }

    /// Returns the id of the object at this position, or `None` past the capacity.
    #[must_use]
    pub fn id(index: u64) -> Option<Id<Tag>> {
        (index < N as u64).then(|| Self::at(index as usize))
    }

    /// Returns the ids of the objects at the first positions.
    pub fn first(count: usize) -> impl Iterator<Item = Id<Tag>> {
        (0..count).map(Self::at)
    }

    /// Returns the id of the object at this position, modulo the capacity.
    #[inline]
    fn at(index: usize) -> Id<Tag> {
        Id(NonZeroU16::MIN.saturating_add((index.wrapping_sub(1) & Self::MASK) as u16), PhantomData)
    }

    /// Returns the position of an object.
    #[must_use]
    #[inline]
    pub fn index_of(id: Id<Tag>) -> usize {
        id.0.get() as usize & Self::MASK
    }

    /// Returns the object with this id, and without an id any object, so that it can be read before the id is tested.
    #[inline]
    pub(crate) fn any(&self, id: Option<Id<Tag>>) -> &T {
        &self.items[Id::number(id) & Self::MASK]
    }

    /// Iterates over all objects and their ids, in order of position.
    pub fn iter(&self) -> impl Iterator<Item = (Id<Tag>, &T)> {
        self.items.iter().enumerate().filter_map(|(index, item)| Some((Self::id(index as u64)?, item)))
    }
}

impl<Tag, T, const N: usize> Index<Id<Tag>> for Arena<Tag, T, N> {
    type Output = T;
    #[inline]
    fn index(&self, id: Id<Tag>) -> &T {
        &self.items[Self::index_of(id)]
    }
}

impl<Tag, T, const N: usize> IndexMut<Id<Tag>> for Arena<Tag, T, N> {
    #[inline]
    fn index_mut(&mut self, id: Id<Tag>) -> &mut T {
        &mut self.items[Self::index_of(id)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Small = Arena<tag::Thread, u32, 4>;

    #[test]
    fn every_position_has_its_own_id() {
        let mut arena = Small::new([0; 4]);
        for index in 0..4 {
            let id = Small::id(index).unwrap();
            assert_eq!(Small::index_of(id), index as usize);
            arena[id] = index as u32 + 10;
        }
        assert_eq!(arena.items, [10, 11, 12, 13]);
        assert!(Small::id(4).is_none());
    }

    #[test]
    fn an_optional_id_is_as_small_as_an_id() {
        assert_eq!(size_of::<Option<ThreadId>>(), 2);
    }
}
