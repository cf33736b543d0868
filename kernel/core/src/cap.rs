//! Capabilities and capability tables.
//!
//! A program names a capability by a pointer. Its top six bits select a slot of a root table. Slot 0 of that table
//! leads to the program's own table of 512 slots, for which all bits in between must be zero, so small numbers are
//! slots of the own table. The other root slots contain what the system description shares ([`RootTable`]).
//! Capabilities are placed at boot and never change.

use limen_abi::{limits, slot};

use crate::arena::{
    EndpointId, IrqId, KeyId, NotificationId, ReplyId, SchedContextId, ServiceId, ThreadId, VspaceId,
};

/// The rights of an endpoint or notification capability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rights(u8);

impl Rights {
    /// Derived from the rights of the image, in a bit that those do not use.
    const BE_ANSWERED: u8 = 1 << 7;

    /// Creates rights from bits of [`limen_image::Rights`].
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        let plain = Self((bits & limen_image::Rights::ALL) as u8);
        if plain.can_send() && plain.can_call() { Self(plain.0 | Self::BE_ANSWERED) } else { plain }
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
