//! Two equal systems that do the same: one as the ports do, the other on the general way only.

use limen_core::arena::ThreadId;
use limen_core::sched::sporadic_server::SporadicServer;

use super::snapshot::Snapshot;
use super::system::System;

/// Whether the kernel may take short ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ways {
    /// As the ports do.
    Short,
    /// Only the way that serves every state.
    General,
}

/// All that two systems can differ in: what the general functions of the tests know, message buffers, shares, the
/// domain that runs, and the queues of all domains.
type State = (Snapshot, Vec<Vec<u64>>, Vec<SporadicServer>, u8, Vec<Vec<ThreadId>>);

/// Fails unless what the short ways came to is what the general one came to.
pub(crate) fn assert_twins(short: &System, general: &System) {
    assert_eq!(state(short), state(general), "a short way comes to something else");
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
