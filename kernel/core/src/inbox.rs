//! Where the event loop of a program waits.
//!
//! Nearly every receive names the same two slots. What they hold is looked up at boot, because capability tables do not
//! change afterwards.

use limen_abi::slot;

use crate::arena::{EndpointId, NotificationId, ReplyId};
use crate::cap::{Cap, CapTable};

/// What the slots for receiving of a program lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inbox {
    /// Nothing to receive from.
    #[default]
    None,
    /// An endpoint, where the next caller waits on the reply object.
    Endpoint(EndpointId, ReplyId),
    /// A notification.
    Notification(NotificationId),
}

impl Inbox {
    /// The slot of what a program receives from.
    pub(crate) const INPUT: u64 = slot::INPUT;
    /// The slot of its reply object.
    pub(crate) const REPLY: u64 = slot::REPLY;

    /// What is in these slots of a table. Nothing if a receive there would be refused.
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
