//! The boxes of a drawing: their text and size.

use limen_builder::report::human_bytes;

use crate::graph::{Graph, Program, Shared};
use crate::text::{fitted, width};

/// Pixels of a grid unit.
pub const UNIT: usize = 10;
/// Font size of names.
pub const NAME_PX: usize = 13;
/// Font size of other lines.
pub const LINE_PX: usize = 11;
/// Distance of lines of text.
pub const LEADING_PX: usize = 15;

/// A box of a program, or of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Lines of text, shortened to fit. The first is a name.
    pub lines: Vec<String>,
    /// Grid units.
    pub width: usize,
    /// Grid units.
    pub height: usize,
}

/// The boxes of all programs, then of all shared memory. None is wider than `most_px`.
#[must_use]
pub fn nodes(graph: &Graph, most_px: usize) -> Vec<Node> {
    let ports = connections(graph);
    let programs = graph.programs.iter().enumerate();
    let programs = programs.map(|(index, program)| {
        let lines =
            [program.facts.name.clone(), scheduling(graph, program)].into_iter().chain(hardware(program));
        node(&lines.collect::<Vec<_>>(), NAME_PX, most_px, ports.get(index).copied().unwrap_or(0))
    });
    let shared =
        graph.shared.iter().map(|shared| node(&shared_lines(shared), LINE_PX, most_px, shared.users.len()));
    programs.chain(shared).collect()
}

/// Number of lines that end at each program.
fn connections(graph: &Graph) -> Vec<usize> {
    let mut ports = vec![0; graph.programs.len()];
    let links = graph.links.iter().flat_map(|link| link.ends);
    let shared = graph.shared.iter().flat_map(|shared| shared.users.iter().map(|(user, _)| *user));
    for program in links.chain(shared) {
        if let Some(count) = ports.get_mut(program) {
            *count += 1;
        }
    }
    ports
}

fn scheduling(graph: &Graph, program: &Program) -> String {
    let facts = program.facts;
    let kind = match (facts.passive, facts.budget_us < facts.period_us) {
        (true, _) => " \u{b7} passive".to_owned(),
        (false, true) => format!(" \u{b7} {} of {} \u{b5}s", facts.budget_us, facts.period_us),
        (false, false) => String::new(),
    };
    let area = graph.elsewhere(program).map(|area| format!(" \u{b7} {area}")).unwrap_or_default();
    format!("priority {}{kind}{area}", facts.priority)
}

fn hardware(program: &Program) -> Option<String> {
    (!program.hardware.is_empty()).then(|| program.hardware.join(", "))
}

fn shared_lines(shared: &Shared) -> Vec<String> {
    match shared.regions[..] {
        [(name, bytes)] => vec![name.to_owned(), human_bytes(bytes)],
        _ => shared.lines(4),
    }
}

/// A box with lines, and with space for `ports` lines that end at it.
fn node(lines: &[String], first_px: usize, most_px: usize, ports: usize) -> Node {
    // Names are bold, which is wider.
    let font = |index: usize| if index == 0 { first_px + 1 } else { LINE_PX };
    let inner = most_px - 2 * UNIT;
    let lines: Vec<_> =
        lines.iter().enumerate().map(|(index, line)| fitted(line, font(index), inner)).collect();
    let widest = lines.iter().enumerate().map(|(index, line)| width(line, font(index))).max().unwrap_or(0);
    // An even width puts a port in the middle.
    let units = (widest + 2 * UNIT).div_ceil(UNIT).max(ports.min(12) + 2).next_multiple_of(2);
    let height = (lines.len() * LEADING_PX + UNIT).div_ceil(UNIT);
    Node { lines, width: units.clamp(6, most_px / UNIT), height: height.next_multiple_of(2) }
}
