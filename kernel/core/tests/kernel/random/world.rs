//! The shape of a random system, and its boot.

use limen_abi::limits::MIN_BUDGET_US;
use limen_abi::slot;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::support::{Grant, Interrupt, Plan, REPLY, System, Thread, Wiring};

/// Few priorities, so that many threads have the same one; the highest is the monitor's.
const PRIORITIES: [u8; 5] = [0, 64, 64, 128, 254];
/// The number of endpoints, and of notifications.
pub(super) const OBJECTS: u64 = 3;
/// The number of scheduling contexts that are unbound at the start.
const SPARE_TIMES: u64 = 2;
/// The period of shares.
const SHARE_PERIOD_US: u64 = 200;
/// Each thread's slot for a second reply object.
const SECOND_REPLY: u64 = 9;
/// Each thread's slots to receive from the endpoints, by index.
const RECEIVE: u64 = 300;
/// Each thread's slots to call the endpoints, by index.
pub(super) const CALL: u64 = 310;
/// Each thread's slots for the notifications with all rights, by index.
pub(super) const NOTIFICATION: u64 = 320;
/// The controller's slots for the threads, by index.
pub(super) const THREAD: u64 = 330;
/// Each thread's slot for a digest; the next slot is for a reset of the thread before it.
pub(super) const SERVICE: u64 = 340;
/// Each thread's slot for the thread before it.
pub(super) const OWNER: u64 = 342;

/// Returns the slot from which a thread receives from an endpoint, by index. One of them is that of its event loop.
pub(super) fn receive_slot(thread: Thread, index: u64) -> u64 {
    if thread.0 % OBJECTS == index { slot::INPUT } else { RECEIVE + index }
}

/// A thread.
#[derive(Clone, Debug)]
struct ThreadShape {
    priority: usize,
    slice_us: Option<u64>,
    notification: Option<u64>,
    fault_handler: Option<(u64, u64)>,
}

/// A capability in the next free slot of a thread.
#[derive(Clone, Debug)]
struct CapShape {
    holder: usize,
    kind: usize,
    object: u64,
    badge: u64,
    rights: u64,
}

/// A system.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    threads: Vec<ThreadShape>,
    caps: Vec<CapShape>,
    /// A thread of the lowest priority that never blocks and controls all others.
    has_controller: bool,
}

/// Random systems.
pub(super) fn shapes() -> impl Strategy<Value = Shape> {
    (vec(threads(), 2..=8), vec(caps(), 4..=48), prop::bool::weighted(0.7)).prop_map(
        |(mut threads, caps, has_controller)| {
            threads[0].slice_us.get_or_insert(20);
            Shape { threads, caps, has_controller }
        },
    )
}

fn threads() -> impl Strategy<Value = ThreadShape> {
    let fault_handler = option::of((0..OBJECTS, prop_oneof![3 => Just(0b1001), 1 => 0..16u64]));
    (0..PRIORITIES.len(), option::weighted(0.6, 1..40u64), option::of(0..OBJECTS), fault_handler).prop_map(
        |(priority, slice_us, notification, fault_handler)| ThreadShape {
            priority,
            slice_us,
            notification,
            fault_handler,
        },
    )
}

fn caps() -> impl Strategy<Value = CapShape> {
    let kind = prop_oneof![6 => Just(0), 4 => Just(1), 3 => Just(2), 3 => Just(3), 1 => Just(4), 2 => Just(5), 1 => Just(6)];
    let rights = prop_oneof![3 => Just(0b1011), 1 => 0..16u64];
    (0..8usize, kind, 0..8u64, any::<u64>(), rights)
        .prop_map(|(holder, kind, object, badge, rights)| CapShape { holder, kind, object, badge, rights })
}

impl Shape {
    /// Boots it.
    pub(super) fn boot(&self) -> System {
        let (mut plan, serving) = self.plan();
        plan.boot_serving(&serving)
    }

    /// Boots the system, which records every event. Every second thread has a share instead of a slice.
    pub(super) fn boot_recording(&self) -> System {
        let (mut plan, serving) = self.plan();
        plan.is_recorded = true;
        for (thread, shape) in (0..).map(Thread).zip(&self.threads).skip(1).step_by(2) {
            if let Some(slice_us) = shape.slice_us {
                plan.share(thread, MIN_BUDGET_US + slice_us, SHARE_PERIOD_US);
            }
        }
        plan.boot_serving(&serving)
    }

    /// The plan of the system, and the passive threads with the slots at which they first wait.
    fn plan(&self) -> (Plan, Vec<(Thread, u64)>) {
        let mut plan = Plan::new();
        let endpoints: Vec<_> = (0..OBJECTS).map(|_| plan.endpoint()).collect();
        let notifications: Vec<_> = (0..OBJECTS).map(|_| plan.notification()).collect();
        let interrupts: Vec<_> = (0..)
            .zip(Wiring::ALL)
            .map(|(index, wiring)| {
                plan.interrupt(wiring, notifications[index % notifications.len()], 1 << 40)
            })
            .collect();
        let threads: Vec<_> = self.threads.iter().map(|shape| add_thread(&mut plan, shape)).collect();
        let mut bound = [false; OBJECTS as usize];
        for (thread, shape) in threads.iter().zip(&self.threads) {
            let free = shape.notification.filter(|index| !bound[*index as usize]);
            if let Some(index) = free {
                bound[index as usize] = true;
                plan.record(*thread).notification = index;
            }
            if let Some((endpoint, rights)) = shape.fault_handler {
                plan.handle_faults(*thread, endpoints[endpoint as usize].with(1 << 62 | thread.0, rights));
            }
        }
        let spare: Vec<_> = (0..SPARE_TIMES).map(|_| plan.sched_context(15)).collect();
        let times: Vec<_> = threads.iter().map(|thread| plan.sched_context_of(*thread)).collect();
        let times: Vec<_> = times.into_iter().filter(|time| time.0 != u64::MAX).chain(spare).collect();
        let grant_of = |kind: usize, object: u64, badge: u64, rights: u64| match kind {
            0 => endpoints[(object % OBJECTS) as usize].with(badge, rights),
            1 => notifications[(object % OBJECTS) as usize].with(badge, rights),
            2 => threads[object as usize % threads.len()].control(),
            3 => times[object as usize % times.len()].control(),
            4 => interrupts[object as usize % interrupts.len()].control(),
            5 => Grant::vspace(threads[object as usize % threads.len()]),
            _ => Grant::fpu_policy(),
        };
        for cap in &self.caps {
            let holder = threads[cap.holder % threads.len()];
            plan.grant(holder, grant_of(cap.kind, cap.object, cap.badge, cap.rights));
        }
        for thread in &threads {
            let second = plan.reply();
            plan.place(*thread, SECOND_REPLY, second.control());
            for index in 0..OBJECTS {
                plan.place(*thread, receive_slot(*thread, index), endpoints[index as usize].receiver());
                plan.place(*thread, CALL + index, endpoints[index as usize].caller(thread.0));
                plan.place(*thread, NOTIFICATION + index, grant_of(1, index, 1 << thread.0, 0b0011));
            }
        }
        for (thread, owner) in threads.iter().zip(threads.iter().cycle().skip(threads.len() - 1)) {
            let services = [plan.digest(*thread), plan.reset(*thread, *owner)];
            plan.place(*thread, OWNER, owner.control());
            for (slot, service) in (SERVICE..).zip(services) {
                plan.place(*thread, slot, Grant::service(service));
                plan.grant(*thread, Grant::service(service));
            }
        }
        if self.has_controller {
            let controller = plan.thread("controller", 0);
            for time in &times {
                plan.grant(controller, time.control());
            }
            for index in 0..OBJECTS {
                plan.place(controller, NOTIFICATION + index, notifications[index as usize].signaller(1));
            }
            for (slot, thread) in (THREAD..).zip(&threads) {
                plan.place(controller, slot, thread.control());
            }
        }
        let passive = threads.iter().zip(&self.threads).filter(|(_, shape)| shape.slice_us.is_none());
        let serving: Vec<_> =
            passive.map(|(thread, _)| (*thread, receive_slot(*thread, thread.0 % OBJECTS))).collect();
        (plan, serving)
    }

    /// The number of threads other than controller and monitor.
    pub(super) fn workers(&self) -> u64 {
        self.threads.len() as u64
    }

    /// Returns an interrupt of the system.
    pub(super) fn interrupt(selector: u8) -> Interrupt {
        Interrupt(u64::from(selector) % Wiring::ALL.len() as u64)
    }

    /// Returns whether this thread must not block.
    pub(super) fn is_controller(&self, thread: Thread) -> bool {
        self.has_controller && thread.0 == self.threads.len() as u64
    }

    /// Returns a capability pointer: mostly to a slot in use, sometimes one that cannot be resolved.
    pub(super) fn cptr(selector: u16) -> u64 {
        const UNRESOLVED: [u64; 6] = [0, 511, 512, 1 << 20, 1 << 58, u64::MAX];
        match selector % 16 {
            0 => UNRESOLVED[selector as usize / 16 % UNRESOLVED.len()],
            1 | 2 => REPLY,
            3 => SECOND_REPLY,
            _ => 10 + u64::from(selector / 16 % 12),
        }
    }
}

fn add_thread(plan: &mut Plan, shape: &ThreadShape) -> Thread {
    let name = format!("thread {}", plan.writer.threads.len());
    let priority = PRIORITIES[shape.priority];
    let Some(slice_us) = shape.slice_us else { return plan.passive(&name, priority) };
    let thread = plan.thread(&name, priority);
    plan.slice(thread, slice_us);
    thread
}
