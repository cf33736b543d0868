//! Two equal systems that perform the same steps: one uses the fast paths, like the ports; the other only the slow
//! path.

use limen_core::arena::ThreadId;
use limen_core::sched::sporadic_server::SporadicServer;

use super::snapshot::Snapshot;
use super::system::System;

/// The paths that a system may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Paths {
    /// Fast paths where they apply, like the ports.
    All,
    /// Only the slow path, which handles every state.
    SlowOnly,
}

/// Everything in which two systems can differ: a snapshot, message buffers, shares, the running domain, and the queues
/// of all domains.
type State = (Snapshot, Vec<Vec<u64>>, Vec<SporadicServer>, u8, Vec<Vec<ThreadId>>);

/// Fails unless fast and slow path have led to the same state.
pub(crate) fn assert_twins(fast: &System, slow: &System) {
    assert_eq!(state(fast), state(slow), "a fast path has another effect than the slow path");
}

fn state(system: &System) -> State {
    let kernel = &system.kernel;
    let others = kernel.other_queues.iter().enumerate();
    let others = others.filter(|(domain, _)| *domain != usize::from(kernel.processor.domain));
    let queues = others.map(|(_, queues)| queues).chain([&kernel.processor.queues]);
    let queues = queues.flat_map(|queues| {
        let ready = queues.ready.iter(&kernel.links).map(|(thread, _)| thread).collect();
        [ready, queues.postponed.iter(&kernel.links).collect()]
    });
    let shares = kernel.sporadic_servers.iter().map(|(_, share)| *share).collect();
    (Snapshot::of(system), system.buffers(), shares, kernel.processor.domain, queues.collect())
}
