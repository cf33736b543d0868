//! The drawing of a system as SVG.

use std::fmt::Write;

use limen_page::escaped;

use crate::graph::Graph;
use crate::layout::{Group, Layout, place};
use crate::nets::{Heads, Kind, Net, nets};
use crate::node::{LEADING_PX, NAME_PX, Node, UNIT, nodes};
use crate::router::{self, Point, Rect, Router};
use crate::text::fitted;

/// The style of drawings; it needs the colours of [`limen_page::COLOURS`].
pub const STYLE: &str = include_str!("../data/drawing.css");
/// Lines in a drawing; the table of channels has all of them.
const MOST_LINES: usize = 400;
/// Boxes of shared memory in a drawing.
const MOST_SHARED: usize = 100;
/// Gaps between boxes that are tried until no line runs along another.
const GAPS: [usize; 4] = [4, 6, 9, 13];

/// A drawing with its lines.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    graph: Graph<'a>,
    nodes: Vec<Node>,
    layout: Layout,
    lines: Vec<Line>,
    /// Lines that are not drawn.
    pub left_out: usize,
}

/// A line between two boxes, or between a box and another line.
#[derive(Clone, Debug)]
struct Line {
    kind: Kind,
    leaf: usize,
    hub: usize,
    points: Vec<Point>,
    head_at_start: bool,
    head_at_end: bool,
    /// It ends at another line.
    joins: bool,
}

impl<'a> Drawing<'a> {
    /// Draws a system in about `most_px` pixels of width.
    #[must_use]
    pub fn new(graph: &Graph<'a>, most_px: usize) -> Self {
        let mut graph = graph.clone();
        let all = lines_of(&nets(&graph));
        graph.shared.truncate(MOST_SHARED);
        let nodes = nodes(&graph, (most_px / 2).saturating_sub(5 * UNIT).clamp(120, 220));
        let mut nets = nets(&graph);
        let mut kept = 0;
        nets.retain(|net| {
            let fits = kept + net.leaves.len() <= MOST_LINES;
            kept += if fits { net.leaves.len() } else { 0 };
            fits
        });
        let attempts = GAPS.iter().map(|gap| {
            let layout = place(&graph, &nodes, most_px / UNIT - 4, *gap);
            let (lines, overlaps) = route(&layout, &nets);
            (layout, lines, overlaps)
        });
        let mut best: Option<(Layout, Vec<Line>, usize)> = None;
        for attempt in attempts {
            let better = best.as_ref().is_none_or(|(.., overlaps)| attempt.2 < *overlaps);
            if better {
                best = Some(attempt);
            }
            if best.as_ref().is_some_and(|(.., overlaps)| *overlaps == 0) {
                break;
            }
        }
        let (layout, lines, _) = best.unwrap_or_default();
        let left_out = all - lines.len();
        Self { graph, nodes, layout, lines, left_out }
    }

    /// The drawing as an SVG element with this class.
    #[must_use]
    pub fn to_svg(&self, class: &str) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        _ = self.write(&mut out, class);
        out
    }

    fn write(&self, out: &mut String, class: &str) -> std::fmt::Result {
        let (width, height) = (self.layout.width * UNIT, self.layout.height * UNIT);
        writeln!(
            out,
            "<svg class=\"system {class}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             style=\"max-width:{width}px;min-width:{}px\" role=\"img\" aria-label=\"Programs, channels and shared memory\">",
            // Below this, the page scrolls the drawing instead of making it smaller.
            width * 7 / 10
        )?;
        self.layout.groups.iter().try_for_each(|(group, rect)| self.group(out, *group, *rect))?;
        self.lines.iter().try_for_each(|line| self.line(out, line))?;
        self.layout.titles.iter().try_for_each(|(area, rect)| self.title_of(out, *area, *rect))?;
        for (index, (node, rect)) in self.nodes.iter().zip(&self.layout.nodes).enumerate() {
            self.node(out, index, node, *rect)?;
        }
        writeln!(out, "</svg>")
    }

    fn group(&self, out: &mut String, group: Group, rect: Rect) -> std::fmt::Result {
        let class = match group {
            Group::Family(_) => "family".to_owned(),
            Group::Area(index) => format!("domain hue{}", index % 16),
        };
        // Between lines of the grid, so that no line of the drawing runs along the border.
        let half = UNIT / 2;
        let (x, y) = (rect.x * UNIT + half, rect.y * UNIT + half);
        let (width, height) = (rect.width * UNIT - UNIT, rect.height * UNIT - UNIT);
        let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        writeln!(out, "<rect class=\"{class}\" {place} rx=\"8\"/>")
    }

    fn title_of(&self, out: &mut String, area: usize, rect: Rect) -> std::fmt::Result {
        let (x, y) = (rect.x * UNIT, rect.y * UNIT + 14);
        let name = self.graph.areas.get(area).map_or("", String::as_str);
        let text = fitted(name, NAME_PX, rect.width * UNIT);
        writeln!(out, "<text class=\"name\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&text))
    }

    fn node(&self, out: &mut String, index: usize, node: &Node, rect: Rect) -> std::fmt::Result {
        let programs = self.graph.programs.len();
        let (class, title, round) = match (self.graph.programs.get(index), index.checked_sub(programs)) {
            (Some(program), _) => {
                let passive = if program.facts.passive { " passive" } else { "" };
                (format!("program{passive}"), program.facts.name.clone(), 4)
            }
            (None, shared) => {
                let shared = shared.and_then(|shared| self.graph.shared.get(shared));
                let device = if shared.is_some_and(|shared| shared.device) { " device" } else { "" };
                let names = shared.map(|shared| shared.lines(40).join("; ")).unwrap_or_default();
                (format!("memory{device}"), names, rect.height * UNIT / 2)
            }
        };
        write!(
            out,
            "<g class=\"{class}\"><title>{}</title><rect {} rx=\"{}\"/>",
            escaped(&title),
            rectangle(rect),
            round.min(12)
        )?;
        let middle = rect.x * UNIT + rect.width * UNIT / 2;
        let slack = rect.height * UNIT - node.lines.len() * LEADING_PX;
        for (index, line) in node.lines.iter().enumerate() {
            let y = rect.y * UNIT + slack / 2 + index * LEADING_PX + LEADING_PX - 4;
            let class = if index == 0 { " class=\"name\"" } else { "" };
            write!(out, "<text{class} x=\"{middle}\" y=\"{y}\">{}</text>", escaped(line))?;
        }
        writeln!(out, "</g>")
    }

    fn line(&self, out: &mut String, line: &Line) -> std::fmt::Result {
        let points: Vec<_> = line.points.iter().map(|(x, y)| (x * UNIT, y * UNIT)).collect();
        let class = match line.kind {
            Kind::Call => "call",
            Kind::Notification => "notification",
            Kind::Memory => "data",
        };
        write!(
            out,
            "<g class=\"{class}\"><title>{}</title><path d=\"{}\"/>",
            escaped(&self.title(line)),
            rounded(&points)
        )?;
        if let ([first, second, ..], true) = (&points[..], line.head_at_start) {
            write!(out, "<path class=\"head\" d=\"{}\"/>", head(*second, *first))?;
        }
        if let ([.., second, last], true) = (&points[..], line.head_at_end) {
            write!(out, "<path class=\"head\" d=\"{}\"/>", head(*second, *last))?;
        }
        if let (Some((x, y)), true) = (points.last(), line.joins) {
            write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\"/>")?;
        }
        writeln!(out, "</g>")
    }

    fn title(&self, line: &Line) -> String {
        let name = |node: usize| match self.graph.programs.get(node) {
            Some(program) => program.facts.name.clone(),
            None => {
                let shared = self.graph.shared.get(node - self.graph.programs.len());
                shared.map(|shared| shared.lines(2).join("; ")).unwrap_or_default()
            }
        };
        let (leaf, hub) = (name(line.leaf), name(line.hub));
        match (line.kind, line.head_at_start) {
            (Kind::Call, false) => format!("{leaf} calls {hub}"),
            (Kind::Call, true) => format!("{hub} calls {leaf}"),
            (Kind::Notification, false) => format!("{leaf} notifies {hub}"),
            (Kind::Notification, true) if line.head_at_end => format!("{leaf} and {hub} notify each other"),
            (Kind::Notification, true) => format!("{hub} notifies {leaf}"),
            (Kind::Memory, false) => format!("{leaf} writes {hub}"),
            (Kind::Memory, true) if line.head_at_end => format!("{leaf} reads and writes {hub}"),
            (Kind::Memory, true) => format!("{leaf} reads {hub}"),
        }
    }
}

fn lines_of(nets: &[Net]) -> usize {
    nets.iter().map(|net| net.leaves.len()).sum()
}

/// Routes all lines, short ones first, and counts the steps that run along another line.
fn route(layout: &Layout, nets: &[Net]) -> (Vec<Line>, usize) {
    let boxes = layout.nodes.iter().chain(layout.titles.iter().map(|(_, rect)| rect));
    let mut router = Router::new(layout.width + 1, layout.height + 1, boxes.copied().collect());
    let distance = |a: usize, b: usize| {
        let middle = |index: usize| {
            let rect = layout.nodes.get(index).copied().unwrap_or_default();
            (rect.x + rect.width / 2, rect.y + rect.height / 2)
        };
        let (a, b) = (middle(a), middle(b));
        a.0.abs_diff(b.0) + a.1.abs_diff(b.1)
    };
    let mut order: Vec<_> = nets.iter().zip(1..).collect();
    order.sort_by_key(|(net, _)| net.leaves.iter().map(|leaf| distance(*leaf, net.hub)).max());
    let mut lines = Vec::new();
    for (net, id) in order {
        let mut leaves = net.leaves.clone();
        leaves.sort_by_key(|leaf| distance(*leaf, net.hub));
        let mut joined = router::Net::default();
        for (index, leaf) in leaves.into_iter().enumerate() {
            let Some(points) = router.route(&mut joined, id, leaf, net.hub) else { continue };
            lines.push(Line {
                kind: net.kind,
                leaf,
                hub: net.hub,
                points,
                head_at_start: net.heads != Heads::Hub,
                // A later line ends at an earlier one.
                head_at_end: net.heads != Heads::Leaves && index == 0,
                joins: index > 0,
            });
        }
    }
    (lines, router.overlaps)
}

fn rectangle(rect: Rect) -> String {
    let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(|side| side * UNIT);
    format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"")
}

/// A path with rounded bends.
fn rounded(points: &[(usize, usize)]) -> String {
    let Some((first, rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{} {}", first.0, first.1);
    for index in 1..=rest.len() {
        let point = points[index];
        match points.get(index + 1) {
            None => _ = write!(path, "L{} {}", point.0, point.1),
            Some(next) => {
                let (before, after) = (towards(point, points[index - 1], 4), towards(point, *next, 4));
                _ = write!(
                    path,
                    "L{} {}Q{} {} {} {}",
                    before.0, before.1, point.0, point.1, after.0, after.1
                );
            }
        }
    }
    path
}

/// The point at this distance from `from`, on a horizontal or vertical line.
fn towards(from: (usize, usize), to: (usize, usize), distance: usize) -> (usize, usize) {
    let axis = |from: usize, to: usize| match from.cmp(&to) {
        std::cmp::Ordering::Less => from + distance,
        std::cmp::Ordering::Equal => from,
        std::cmp::Ordering::Greater => from - distance,
    };
    (axis(from.0, to.0), axis(from.1, to.1))
}

/// A triangle with its tip at `tip`.
fn head(from: (usize, usize), tip: (usize, usize)) -> String {
    let base = towards(tip, from, 8);
    let [a, b] = if base.0 == tip.0 {
        [(base.0 - 4, base.1), (base.0 + 4, base.1)]
    } else {
        [(base.0, base.1 - 4), (base.0, base.1 + 4)]
    };
    format!("M{} {}L{} {}L{} {}Z", tip.0, tip.1, a.0, a.1, b.0, b.1)
}
