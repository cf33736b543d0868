//! A child whose faults go to its parent.

use limen_core::fault::{Access, Fault};

use super::plan::{Endpoint, Plan, Thread};
use super::system::System;

/// A child whose faults go to its parent.
#[derive(Debug)]
pub(crate) struct Family {
    /// The plan; may be changed until [`Family::boot`].
    pub(crate) plan: Plan,
    /// The handler of the faults.
    pub(crate) parent: Thread,
    /// The faulting thread.
    pub(crate) child: Thread,
    /// The endpoint for faults.
    pub(crate) endpoint: Endpoint,
    /// The parent's slot for the endpoint.
    pub(crate) receive: u64,
    /// The parent's slot for the child.
    pub(crate) control: u64,
}

impl Family {
    /// The badge of the child's faults.
    pub(crate) const BADGE: u64 = 1 << 62 | 3;
    /// The priority of the child.
    pub(crate) const CHILD_PRIORITY: u8 = 100;
    /// A fault that can be ended only by repairing its cause.
    pub(crate) const VM_FAULT: Fault =
        Fault::Vm { address: 0xdead_b000, access: Access::Data, status: 0x9200_0046 };
    /// A fault whose reply may set registers.
    pub(crate) const EXCEPTION: Fault = Fault::UserException { number: 0x0200_0000, code: 0 };

    /// A parent with time of its own.
    pub(crate) fn active(priority: u8) -> Self {
        Self::new(priority, Plan::thread)
    }

    /// A parent that runs on its children's time.
    pub(crate) fn passive(priority: u8) -> Self {
        Self::new(priority, Plan::passive)
    }

    fn new(priority: u8, make_parent: impl Fn(&mut Plan, &str, u8) -> Thread) -> Self {
        let mut plan = Plan::new();
        let parent = make_parent(&mut plan, "parent", priority);
        let child = plan.thread("child", Self::CHILD_PRIORITY);
        let endpoint = plan.endpoint();
        let receive = plan.grant(parent, endpoint.receiver());
        let control = plan.grant(parent, child.control());
        plan.handle_faults(child, endpoint.caller(Self::BADGE));
        Self { plan, parent, child, endpoint, receive, control }
    }

    /// Adds another child of the same parent, with its own badge.
    pub(crate) fn add_child(&mut self, name: &str, priority: u8, badge: u64) -> Thread {
        let child = self.plan.thread(name, priority);
        self.plan.handle_faults(child, self.endpoint.caller(badge));
        child
    }

    /// Boots; the parent waits and the child of the highest priority runs.
    pub(crate) fn boot(&mut self) -> System {
        let system = self.plan.boot_serving(&[(self.parent, self.receive)]);
        system.assert_receiving(self.parent, self.endpoint);
        system
    }
}
