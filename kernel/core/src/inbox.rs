//! The objects that the event loop of a program receives from.
//!
//! Nearly every receive names the same two slots. Their capabilities are looked up at boot because capability tables
//! do not change afterwards.

use limen_abi::slot;

use crate::arena::{EndpointId, NotificationId, ReplyId};
use crate::cap::{Cap, CapTable};

/// The contents of a program's standard receive slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inbox {
    /// Nothing to receive from.
    #[default]
    None,
    /// An endpoint, and the reply object on which the next caller waits.
    Endpoint(EndpointId, ReplyId),
    /// A notification.
    Notification(NotificationId),
}

impl Inbox {
    /// The slot of the endpoint or notification.
    pub(crate) const INPUT: u64 = slot::INPUT;
    /// The slot of the reply object.
    pub(crate) const REPLY: u64 = slot::REPLY;

    /// Looks up these slots of a table. Returns `None` if a receive with them would be refused.
    #[must_use]
    #[inline]
    pub fn of(table: &CapTable, input: u64, reply: u64) -> Self {
        let Some(input) = table.lookup(input) else { return Self::None };
        match *input {
            Cap::Endpoint { id, rights, .. } if rights.can_receive() => match table.lookup(reply) {
                Some(&Cap::Reply(reply)) => Self::Endpoint(id, reply),
                _ => Self::None,
            },
            Cap::Notification { id, rights, .. } if rights.can_receive() => Self::Notification(id),
            _ => Self::None,
        }
    }
}
