//! Capabilities and capability tables.
//!
//! A program names a capability by a pointer. Its top six bits select a slot of a root table. Slot 0 of that table
//! leads to the program's own table of 512 slots, for which all bits in between must be zero, so small numbers are
//! slots of the own table. The other root slots contain what the system description shares ([`RootTable`]).
//! Capabilities are placed at boot and never change.

use limen_abi::{limits, slot};

use crate::arena::{
    Arena, EndpointId, IrqId, KeyId, NotificationId, ReplyId, SchedContextId, ServiceId, ThreadId, VspaceId,
    tag,
};
use crate::kernel::{Endpoints, Irqs, Keys, Notifications, PerThread, SchedContexts};

/// The rights of an endpoint or notification capability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rights(u8);

impl Rights {
    /// Derived from the rights of the image, in a bit that those do not use.
    const BE_ANSWERED: u8 = 1 << 7;
    /// No rights.
    pub(crate) const NONE: Self = Self(0);

    /// Creates rights from bits of [`limen_image::Rights`].
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        let plain = Self((bits & limen_image::Rights::ALL) as u8);
        if plain.can_send() && plain.can_call() { Self(plain.0 | Self::BE_ANSWERED) } else { plain }
    }

    /// Returns the rights as one number.
    pub(crate) const fn as_bits(self) -> u8 {
        self.0
    }

    /// Returns the rights that [`Self::as_bits`] returned.
    pub(crate) const fn from_raw(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns whether the holder may send or signal.
    #[must_use]
    #[inline]
    pub const fn can_send(self) -> bool {
        self.0 & limen_image::Rights::SEND as u8 != 0
    }

    /// Returns whether the holder may receive or wait.
    #[must_use]
    #[inline]
    pub const fn can_receive(self) -> bool {
        self.0 & limen_image::Rights::RECEIVE as u8 != 0
    }

    /// Returns whether the holder may receive a reply: grant or grant-reply.
    #[must_use]
    #[inline]
    pub const fn can_call(self) -> bool {
        self.0 & (limen_image::Rights::GRANT | limen_image::Rights::GRANT_REPLY) as u8 != 0
    }

    /// Returns whether the holder may give a receiver its scheduling context permanently.
    #[must_use]
    pub const fn can_grant(self) -> bool {
        self.0 & limen_image::Rights::GRANT as u8 != 0
    }

    /// Returns whether the holder may both send and receive a reply, in one test.
    #[must_use]
    #[inline]
    pub const fn can_be_answered(self) -> bool {
        self.0 & Self::BE_ANSWERED != 0
    }
}

/// A right to use an object.
///
/// The discriminant comes first and is zero for an empty slot, so that boot need not write empty slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Cap {
    /// An empty slot.
    #[default]
    Null = 0,
    /// A thread.
    Thread(ThreadId),
    /// An endpoint.
    Endpoint {
        /// The rights of the holder.
        rights: Rights,
        /// The endpoint.
        id: EndpointId,
        /// The badge that a receiver sees.
        badge: u64,
    },
    /// A notification.
    Notification {
        /// The rights of the holder.
        rights: Rights,
        /// The notification.
        id: NotificationId,
        /// The bits that a signal sets.
        badge: u64,
    },
    /// A reply object.
    Reply(ReplyId),
    /// A scheduling context.
    SchedContext(SchedContextId),
    /// An address space.
    Vspace(VspaceId),
    /// The right to change budget and period of scheduling contexts.
    SchedControl,
    /// An interrupt.
    Interrupt(IrqId),
    /// The right to call the secure monitor.
    SecureMonitor,
    /// The right to read the floating-point counters.
    FpuCounters,
    /// The right to set the floating-point policy.
    FpuPolicy,
    /// The right to probe one's own kernel entries and returns.
    Probe,
    /// A static key.
    Key(KeyId),
    /// A service.
    Service(ServiceId),
    /// I/O ports.
    IoPort {
        /// The range as one word. It is placed where other kinds have their badge, so that a capability remains two
        /// loads.
        ports: u64,
    },
    /// An object of another processor.
    Elsewhere {
        /// The rights of the holder.
        rights: Rights,
        /// The kind of object.
        kind: ObjectKind,
        /// Its home.
        processor: u8,
        /// Its position.
        index: u16,
        /// The badge of an endpoint or notification.
        badge: u64,
    },
}

/// Services by id, without their contents.
type ServiceIds = Arena<tag::Service, (), { limits::SERVICES }>;

/// An object of another processor. It has the fields of [`Cap::Elsewhere`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    /// The rights of the holder.
    pub rights: Rights,
    /// The kind of object.
    pub kind: ObjectKind,
    /// Its home.
    pub processor: u8,
    /// Its position.
    pub index: u16,
    /// The badge of an endpoint or notification.
    pub badge: u64,
}

/// The kinds of object that a thread of another processor can use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ObjectKind {
    /// A thread.
    Thread,
    /// An endpoint.
    Endpoint,
    /// A notification.
    Notification,
    /// A scheduling context.
    SchedContext,
    /// The right to change budget and period of the processor's scheduling contexts.
    SchedControl,
    /// An interrupt.
    Interrupt,
    /// A static key.
    Key,
    /// The right to probe: turning a probe on or off switches a static key.
    Probe,
    /// A service that resets a thread. Its home is that of the thread.
    Service,
}

impl ObjectKind {
    const ALL: [Self; 9] = [
        Self::Thread,
        Self::Endpoint,
        Self::Notification,
        Self::SchedContext,
        Self::SchedControl,
        Self::Interrupt,
        Self::Key,
        Self::Probe,
        Self::Service,
    ];

    /// Returns the kind with this number.
    pub(crate) fn from_raw(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

impl Elsewhere {
    /// Returns the capability at the home of the object.
    pub(crate) fn at_home(self) -> Cap {
        let Self { rights, kind, index, badge, .. } = self;
        let index = u64::from(index);
        let cap = match kind {
            ObjectKind::Thread => PerThread::<()>::id(index).map(Cap::Thread),
            ObjectKind::Endpoint => Endpoints::id(index).map(|id| Cap::Endpoint { rights, id, badge }),
            ObjectKind::Notification => {
                Notifications::id(index).map(|id| Cap::Notification { rights, id, badge })
            }
            ObjectKind::SchedContext => SchedContexts::id(index).map(Cap::SchedContext),
            ObjectKind::SchedControl => Some(Cap::SchedControl),
            ObjectKind::Interrupt => Irqs::id(index).map(Cap::Interrupt),
            ObjectKind::Key => Keys::id(index).map(Cap::Key),
            ObjectKind::Probe => Some(Cap::Probe),
            ObjectKind::Service => ServiceIds::id(index).map(Cap::Service),
        };
        cap.unwrap_or_default()
    }
}

impl Cap {
    /// Returns the capability as a thread of another processor has it; `None` if that has its own object of this kind.
    pub(crate) fn elsewhere(self, processor: u8) -> Option<Self> {
        let none = Rights::NONE;
        let (rights, kind, index, badge) = match self {
            Self::Thread(id) => (none, ObjectKind::Thread, PerThread::<()>::index_of(id), 0),
            Self::Endpoint { rights, id, badge } => {
                (rights, ObjectKind::Endpoint, Endpoints::index_of(id), badge)
            }
            Self::Notification { rights, id, badge } => {
                (rights, ObjectKind::Notification, Notifications::index_of(id), badge)
            }
            Self::SchedContext(id) => (none, ObjectKind::SchedContext, SchedContexts::index_of(id), 0),
            Self::Interrupt(id) => (none, ObjectKind::Interrupt, Irqs::index_of(id), 0),
            Self::Key(id) => (none, ObjectKind::Key, Keys::index_of(id), 0),
            Self::Probe => (none, ObjectKind::Probe, 0, 0),
            Self::Service(id) => (none, ObjectKind::Service, ServiceIds::index_of(id), 0),
            _ => return None,
        };
        Some(Self::Elsewhere { rights, kind, processor, index: index as u16, badge })
    }

    /// Returns the object of another processor that this capability names, if it does.
    pub(crate) fn as_elsewhere(self) -> Option<Elsewhere> {
        match self {
            Self::Elsewhere { rights, kind, processor, index, badge } => {
                Some(Elsewhere { rights, kind, processor, index, badge })
            }
            _ => None,
        }
    }
}

/// Why a capability pointer could not be resolved, with the details for a fault or an error message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupFailure {
    /// The slot is empty.
    MissingCapability {
        /// The number of unresolved bits of the pointer.
        bits_left: u8,
    },
    /// The bits between root slot and own table are not zero.
    GuardMismatch {
        /// The number of unresolved bits of the pointer.
        bits_left: u8,
        /// The size of the guard in bits.
        guard_bits: u8,
    },
}

impl LookupFailure {
    /// The failure for a pointer beyond the end of the program's own table.
    pub const TOO_LARGE: Self = Self::GuardMismatch {
        bits_left: BITS_BELOW_ROOT,
        guard_bits: BITS_BELOW_ROOT - slot::TABLE_BITS as u8,
    };
}

/// The number of bits of a pointer below the root slot.
const BITS_BELOW_ROOT: u8 = (u64::BITS - slot::ROOT_BITS) as u8;

/// The capability table of one protection domain.
#[derive(Clone, Debug)]
pub struct CapTable {
    slots: [Cap; limits::CAP_SLOTS],
}

impl CapTable {
    /// An empty table.
    pub const EMPTY: Self = Self { slots: [Cap::Null; limits::CAP_SLOTS] };

    /// Returns the capability that `cptr` names, if it is in this table.
    #[must_use]
    #[inline]
    pub fn lookup(&self, cptr: u64) -> Option<&Cap> {
        self.slots.get(cptr as usize)
    }

    /// Returns the capability in a slot; `Null` past the end.
    #[must_use]
    pub fn slot(&self, slot: u64) -> Cap {
        self.slots.get(slot as usize).copied().unwrap_or_default()
    }

    /// Iterates over all slots.
    pub fn iter(&self) -> impl Iterator<Item = Cap> {
        self.slots.iter().copied()
    }

    /// Fills a slot at boot; does nothing past the end.
    pub(crate) fn place(&mut self, slot: u64, cap: Cap) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = cap;
        }
    }
}

/// A root table. Slot 0 stands for the program's own table and is empty here.
#[derive(Debug)]
pub struct RootTable {
    slots: [Cap; limits::ROOT_SLOTS],
}

impl RootTable {
    /// An empty table.
    pub const EMPTY: Self = Self { slots: [Cap::Null; limits::ROOT_SLOTS] };

    /// Returns the capability that a pointer names whose root slot is not 0; it may be `Null`. Returns `None` for root
    /// slot 0: the pointer is too large for the program's own table ([`LookupFailure::TOO_LARGE`]).
    #[must_use]
    pub fn lookup(&self, cptr: u64) -> Option<&Cap> {
        match cptr >> BITS_BELOW_ROOT {
            0 => None,
            root => self.slots.get(root as usize),
        }
    }

    /// Iterates over all slots.
    pub fn iter(&self) -> impl Iterator<Item = Cap> {
        self.slots.iter().copied()
    }

    /// Fills a slot at boot; does nothing past the end.
    pub(crate) fn place(&mut self, slot: u64, cap: Cap) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = cap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_is_two_words() {
        assert_eq!(size_of::<Cap>(), 16);
    }

    #[test]
    fn a_pointer_outside_the_table_names_a_root_slot_or_is_too_large() {
        let (table, root) = (CapTable::EMPTY, RootTable::EMPTY);
        assert_eq!((table.lookup(511), table.lookup(512)), (Some(&Cap::Null), None));
        assert_eq!(root.lookup(512), None);
        assert_eq!(LookupFailure::TOO_LARGE, LookupFailure::GuardMismatch { bits_left: 58, guard_bits: 49 });
        assert_eq!(root.lookup(1 << 58), Some(&Cap::Null), "an empty slot of the root table");
        assert_eq!(root.lookup(u64::MAX), Some(&Cap::Null));
    }
}
