//! The lines of a drawing, bundled where that cannot mislead.
//!
//! Lines with the same direction that end at one box, or that start at one, may join: every tail then leads to every head.
//! Notifications in both directions join only after they are split into two lines, because two heads on a joined line
//! would connect the leaves. Programs that read and write the same memory do affect each other, so their lines may join.

use std::collections::BTreeMap;

use crate::graph::{Flow, Graph};

/// Lines between one box and others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Kind of the lines.
    pub kind: Kind,
    /// The box at one end.
    pub hub: usize,
    /// The boxes at the other ends.
    pub leaves: Vec<usize>,
    /// Ends with a head.
    pub heads: Heads,
}

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Protected calls.
    Call,
    /// Notifications.
    Notification,
    /// Memory; heads point where data goes.
    Memory,
}

/// Heads of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heads {
    /// At the hub.
    Hub,
    /// At the leaves.
    Leaves,
    /// At both.
    Both,
}

/// Programs with this many notifications in both directions have them bundled.
const MANY: usize = 4;

/// Lines of one kind that have both ends and one direction.
type Arrows = Vec<(usize, usize)>;

/// All lines of a system.
#[must_use]
pub fn nets(graph: &Graph) -> Vec<Net> {
    let mut calls = Arrows::new();
    let (mut one_way, mut two_way) = (Arrows::new(), Arrows::new());
    for link in &graph.links {
        calls.extend(link.calls());
        match link.notifications()[..] {
            [both, _] => two_way.push(both),
            [one] => one_way.push(one),
            _ => {}
        }
    }
    let mut degree: BTreeMap<usize, usize> = BTreeMap::new();
    two_way.iter().flat_map(|(a, b)| [*a, *b]).for_each(|end| *degree.entry(end).or_default() += 1);
    let many = |end: usize| degree.get(&end).is_some_and(|count| *count >= MANY);
    let (split, kept): (Arrows, Arrows) = two_way.into_iter().partition(|(a, b)| many(*a) || many(*b));
    one_way.extend(split.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]));
    let both = kept.into_iter().map(|(a, b)| Net {
        kind: Kind::Notification,
        hub: b,
        leaves: vec![a],
        heads: Heads::Both,
    });
    bundled(Kind::Call, &calls)
        .into_iter()
        .chain(both)
        .chain(bundled(Kind::Notification, &one_way))
        .chain(memory(graph))
        .collect()
}

/// Each arrow joins the larger of the bundles at its head and at its tail.
fn bundled(kind: Kind, arrows: &[(usize, usize)]) -> Vec<Net> {
    let count = |end: fn(&(usize, usize)) -> usize| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        arrows.iter().for_each(|arrow| *counts.entry(end(arrow)).or_default() += 1);
        counts
    };
    let (tails, heads) = (count(|arrow| arrow.0), count(|arrow| arrow.1));
    let mut nets: BTreeMap<(usize, Heads), Vec<usize>> = BTreeMap::new();
    for (tail, head) in arrows {
        let (hub, leaf, at) = if heads.get(head) >= tails.get(tail) {
            (head, tail, Heads::Hub)
        } else {
            (tail, head, Heads::Leaves)
        };
        nets.entry((*hub, at)).or_default().push(*leaf);
    }
    nets.into_iter().map(|((hub, heads), leaves)| Net { kind, hub, leaves, heads }).collect()
}

/// From writers to memory and from memory to readers.
fn memory(graph: &Graph) -> Vec<Net> {
    let mut nets = Vec::new();
    for (index, shared) in graph.shared.iter().enumerate() {
        let hub = graph.programs.len() + index;
        for (flow, heads) in [(Flow::In, Heads::Hub), (Flow::Both, Heads::Both), (Flow::Out, Heads::Leaves)] {
            let leaves: Vec<_> =
                shared.flows().filter(|(_, own)| *own == flow).map(|(user, _)| user).collect();
            if !leaves.is_empty() {
                nets.push(Net { kind: Kind::Memory, hub, leaves, heads });
            }
        }
    }
    nets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_are_bundled_at_the_end_with_more() {
        let nets = bundled(Kind::Call, &[(0, 9), (1, 9), (2, 9), (2, 8), (2, 7), (2, 6)]);
        let found: Vec<_> = nets.into_iter().map(|net| (net.hub, net.heads, net.leaves)).collect();
        assert_eq!(found, [(2, Heads::Leaves, vec![9, 8, 7, 6]), (9, Heads::Hub, vec![0, 1])]);
    }
}
