//! Pointers and capabilities. Both never change after boot.

use std::collections::BTreeMap;

use limen_abi::slot::{ROOT_BITS, TABLE_BITS};

use crate::hardware::SpaceId;
use crate::state::{EndpointId, KeyId, NotificationId, ReplyId, System, ThreadId, TimeId};

/// The rights of a capability to an endpoint or notification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rights {
    /// To send and to signal.
    pub send: bool,
    /// To receive and to wait.
    pub receive: bool,
    /// To give away time, and to be answered.
    pub grant: bool,
    /// To be answered.
    pub grant_reply: bool,
}

impl Rights {
    /// Whether a reply to a call can reach its holder.
    #[must_use]
    pub const fn can_be_answered(self) -> bool {
        self.grant || self.grant_reply
    }
}

/// A capability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cap {
    /// None.
    Empty,
    /// To a thread.
    Thread(ThreadId),
    /// To an endpoint.
    Endpoint {
        /// Which one.
        endpoint: EndpointId,
        /// The badge that receivers see.
        badge: u64,
        /// The operations that the holder may use.
        rights: Rights,
    },
    /// To a notification.
    Notification {
        /// Which one.
        notification: NotificationId,
        /// The bits that a signal adds.
        badge: u64,
        /// The operations that the holder may use.
        rights: Rights,
    },
    /// To a reply object.
    Reply(ReplyId),
    /// To a scheduling context.
    Time(TimeId),
    /// To configure scheduling contexts.
    TimeControl,
    /// To acknowledge an interrupt.
    Interrupt(usize),
    /// To a service.
    Service(usize),
    /// To a static key.
    Key(KeyId),
    /// To set the policy of the floating-point unit.
    FpuPolicy,
    /// To read the counts of the floating-point unit.
    FpuCounts,
    /// To probe the holder itself.
    Probe,
    /// To the I/O ports from the first to the last.
    Ports(u16, u16),
    /// To the caches of an address space.
    Space(SpaceId),
    /// To call the secure monitor.
    Monitor,
}

/// The capabilities of a thread, by pointer: small numbers for its own table, and shared ones by root slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Caps {
    /// Its own table, by slot.
    pub own: BTreeMap<u64, Cap>,
    /// The slots of its root table, from 1 on.
    pub root: BTreeMap<u64, Cap>,
}

/// A pointer has bits above the table: it leads nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nowhere;

impl System {
    /// The capability that a pointer of a thread names. Its top bits select a root slot; root slot 0 is the thread's own
    /// table, beyond which a pointer leads nowhere.
    pub(crate) fn lookup(&self, thread: ThreadId, pointer: u64) -> Result<Cap, Nowhere> {
        let caps = &self.threads[thread].caps;
        let root = pointer >> (u64::BITS - ROOT_BITS);
        if root != 0 {
            return Ok(caps.root.get(&root).copied().unwrap_or(Cap::Empty));
        }
        if pointer >> TABLE_BITS != 0 {
            return Err(Nowhere);
        }
        Ok(caps.own.get(&pointer).copied().unwrap_or(Cap::Empty))
    }
}
