//! Capabilities and the tables that hold them.
//!
//! A program names a capability by a pointer whose top six bits select a slot of a root table. Slot 0 of that
//! table is the program's own table of 512 slots, reached with all bits between zero; so small numbers are slots. The
//! other root slots hold what the description shares ([`RootTable`]).
//! Capabilities are placed at boot and never change.

use limen_abi::{limits, slot};

use crate::arena::{
    EndpointId, IrqId, KeyId, NotificationId, ReplyId, SchedContextId, ServiceId, ThreadId, VspaceId,
};

/// What the holder of an endpoint or notification capability may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rights(u8);

impl Rights {
    /// Beside the rights of the image: follows from them.
    const BE_ANSWERED: u8 = 1 << 7;

    /// These bits of [`limen_image::Rights`].
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        let plain = Self((bits & limen_image::Rights::ALL) as u8);
        if plain.can_send() && plain.can_call() { Self(plain.0 | Self::BE_ANSWERED) } else { plain }
    }

    /// May send or signal.
    #[must_use]
    #[inline]
    pub const fn can_send(self) -> bool {
        self.0 & limen_image::Rights::SEND as u8 != 0
    }

    /// May receive or wait.
    #[must_use]
    #[inline]
    pub const fn can_receive(self) -> bool {
        self.0 & limen_image::Rights::RECEIVE as u8 != 0
    }

    /// May be answered: grant or grant-reply.
    #[must_use]
    #[inline]
    pub const fn can_call(self) -> bool {
        self.0 & (limen_image::Rights::GRANT | limen_image::Rights::GRANT_REPLY) as u8 != 0
    }

    /// May give a receiver its scheduling context for good.
    #[must_use]
    pub const fn can_grant(self) -> bool {
        self.0 & limen_image::Rights::GRANT as u8 != 0
    }

    /// May send, and be answered: both in one look.
    #[must_use]
    #[inline]
    pub const fn can_be_answered(self) -> bool {
        self.0 & Self::BE_ANSWERED != 0
    }
}

/// A right to use an object.
///
/// Its layout is that of its declaration, with the number of the kind first: an empty slot is all zeros, so that boot
/// need not write to each.
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
        /// What the holder may do.
        rights: Rights,
        /// The endpoint.
        id: EndpointId,
        /// What a receiver sees.
        badge: u64,
    },
    /// A notification.
    Notification {
        /// What the holder may do.
        rights: Rights,
        /// The notification.
        id: NotificationId,
        /// Bits that a signal sets.
        badge: u64,
    },
    /// A reply object.
    Reply(ReplyId),
    /// A scheduling context.
    SchedContext(SchedContextId),
    /// An address space.
    Vspace(VspaceId),
    /// The right to give scheduling contexts other budgets and periods.
    SchedControl,
    /// An interrupt.
    Interrupt(IrqId),
    /// The right to call the secure monitor.
    SecureMonitor,
    /// The right to read how often floating-point registers were switched.
    FpuCounters,
    /// The right to choose when floating-point registers are switched.
    FpuPolicy,
    /// The right of its holder to sample its own crossings.
    Probe,
    /// A static key.
    Key(KeyId),
    /// A service.
    Service(ServiceId),
    /// I/O ports.
    IoPort {
        /// Which, as a word: so it lies where other kinds have their badge, and a capability stays two loads.
        ports: u64,
    },
}

/// Why a capability pointer led nowhere, with the details that go into a fault or an error message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupFailure {
    /// The slot is empty.
    MissingCapability {
        /// Bits of the pointer that were not used.
        bits_left: u8,
    },
    /// Bits between root slot and own table that had to be zero were not.
    GuardMismatch {
        /// Bits of the pointer that were not used.
        bits_left: u8,
        /// Size of the guard.
        guard_bits: u8,
    },
}

impl LookupFailure {
    /// A pointer into the program's own table that is too large for it.
    pub const TOO_LARGE: Self = Self::GuardMismatch {
        bits_left: BITS_BELOW_ROOT,
        guard_bits: BITS_BELOW_ROOT - slot::TABLE_BITS as u8,
    };
}

/// Bits of a pointer that do not select a root slot.
const BITS_BELOW_ROOT: u8 = (u64::BITS - slot::ROOT_BITS) as u8;

/// The capabilities of one protection domain.
#[derive(Clone, Debug)]
pub struct CapTable {
    slots: [Cap; limits::CAP_SLOTS],
}

impl CapTable {
    /// A table of empty slots.
    pub const EMPTY: Self = Self { slots: [Cap::Null; limits::CAP_SLOTS] };

    /// The capability that `cptr` names, if it leads into this table.
    #[must_use]
    #[inline]
    pub fn lookup(&self, cptr: u64) -> Option<&Cap> {
        self.slots.get(cptr as usize)
    }

    /// The capability in a slot of the table itself; empty past the end.
    #[must_use]
    pub fn slot(&self, slot: u64) -> Cap {
        self.slots.get(slot as usize).copied().unwrap_or_default()
    }

    /// Every capability of the table.
    pub fn iter(&self) -> impl Iterator<Item = Cap> {
        self.slots.iter().copied()
    }

    /// Fills a slot at boot; ignored past the end.
    pub(crate) fn place(&mut self, slot: u64, cap: Cap) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = cap;
        }
    }
}

/// The slots of a root table. Slot 0 is the way to the program's own table and empty here.
#[derive(Debug)]
pub struct RootTable {
    slots: [Cap; limits::ROOT_SLOTS],
}

impl RootTable {
    /// A table of empty slots.
    pub const EMPTY: Self = Self { slots: [Cap::Null; limits::ROOT_SLOTS] };

    /// The capability that a pointer with bits above the program's own table names. An empty slot is found. Nothing if
    /// the pointer leads to the program's own table and is too large for it: [`LookupFailure::TOO_LARGE`].
    #[must_use]
    pub fn lookup(&self, cptr: u64) -> Option<&Cap> {
        match cptr >> BITS_BELOW_ROOT {
            0 => None,
            root => self.slots.get(root as usize),
        }
    }

    /// Every capability of the table.
    pub fn iter(&self) -> impl Iterator<Item = Cap> {
        self.slots.iter().copied()
    }

    /// Fills a slot at boot; ignored past the end.
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
    fn pointers_outside_the_table_are_told_apart() {
        let (table, root) = (CapTable::EMPTY, RootTable::EMPTY);
        assert_eq!((table.lookup(511), table.lookup(512)), (Some(&Cap::Null), None));
        assert_eq!(root.lookup(512), None);
        assert_eq!(LookupFailure::TOO_LARGE, LookupFailure::GuardMismatch { bits_left: 58, guard_bits: 49 });
        assert_eq!(root.lookup(1 << 58), Some(&Cap::Null), "an empty slot of the root table");
        assert_eq!(root.lookup(u64::MAX), Some(&Cap::Null));
    }
}
