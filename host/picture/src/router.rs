//! Routes lines around boxes on a grid.
//!
//! Boxes are obstacles. Each route is the cheapest path under costs that prefer short lines with few bends, allow lines to
//! cross, and make it expensive to run along another line. Lines of one net may join.

use std::collections::HashSet;

/// A rectangle in grid units. Its border belongs to it: `right` and `bottom` are inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rect {
    /// Left border.
    pub x: usize,
    /// Upper border.
    pub y: usize,
    /// Distance to the right border.
    pub width: usize,
    /// Distance to the lower border.
    pub height: usize,
}

impl Rect {
    /// The right border.
    #[must_use]
    pub fn right(&self) -> usize {
        self.x + self.width
    }

    /// The lower border.
    #[must_use]
    pub fn bottom(&self) -> usize {
        self.y + self.height
    }

    /// Whether a point is inside or on the border.
    #[must_use]
    pub fn contains(&self, (x, y): Point) -> bool {
        (self.x..=self.right()).contains(&x) && (self.y..=self.bottom()).contains(&y)
    }
}

/// A point of the grid.
pub type Point = (usize, usize);

const STEP: u32 = 2;
const BEND: u32 = 7;
const CROSSING: u32 = 6;
/// Touching another net where it bends or ends.
const TOUCH: u32 = 60;
/// Running along another net.
const OVERLAP: u32 = 120;
/// Running along a box.
const NEAR: u32 = 2;

/// Direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Right,
    Down,
    Left,
    Up,
}

const WAYS: [Way; 4] = [Way::Right, Way::Down, Way::Left, Way::Up];

impl Way {
    fn is_horizontal(self) -> bool {
        matches!(self, Self::Right | Self::Left)
    }
}

/// Use of a point by lines.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    /// Net of the horizontal line through the point; 0 for none.
    horizontal: u16,
    /// Net of the vertical line.
    vertical: u16,
    /// A line bends, ends or branches here.
    corner: bool,
}

/// The grid with boxes and the lines routed so far.
#[derive(Clone, Debug)]
pub struct Router {
    width: usize,
    height: usize,
    boxes: Vec<Rect>,
    blocked: Vec<bool>,
    near: Vec<bool>,
    uses: Vec<Use>,
    /// Nets of the edges to the right of and below each point; 0 for none.
    edges: [Vec<u16>; 2],
    /// Steps that run along another net.
    pub overlaps: usize,
}

/// A line in progress.
#[derive(Clone, Debug, Default)]
pub struct Net {
    points: HashSet<usize>,
}

impl Router {
    /// A grid of `width` times `height` points.
    #[must_use]
    pub fn new(width: usize, height: usize, boxes: Vec<Rect>) -> Self {
        let count = width * height;
        let mut blocked = vec![false; count];
        let mut near = vec![false; count];
        for rect in &boxes {
            for y in rect.y.saturating_sub(1)..=rect.bottom() + 1 {
                for x in rect.x.saturating_sub(1)..=rect.right() + 1 {
                    if x < width && y < height {
                        near[y * width + x] = true;
                        blocked[y * width + x] |= rect.contains((x, y));
                    }
                }
            }
        }
        let edges = [vec![0; count], vec![0; count]];
        Self { width, height, boxes, blocked, near, uses: vec![Use::default(); count], edges, overlaps: 0 }
    }

    /// Routes a line from box `from` to the net, or to box `hub` if the net is empty. `id` identifies the net and is not
    /// zero. Returns the bends with both ends, or `None` if there is no way.
    pub fn route(&mut self, net: &mut Net, id: u16, from: usize, hub: usize) -> Option<Vec<Point>> {
        let path = self.find(net, id, from, hub)?;
        self.mark(net, id, &path);
        Some(corners(&path.iter().map(|point| (point % self.width, point / self.width)).collect::<Vec<_>>()))
    }

    /// The next point, except on the border of the grid.
    fn neighbour(&self, point: usize, way: Way) -> Option<usize> {
        let (x, y) = (point % self.width, point / self.width);
        match way {
            Way::Right => (x + 2 < self.width).then_some(point + 1),
            Way::Down => (y + 2 < self.height).then_some(point + self.width),
            Way::Left => (x > 1).then(|| point - 1),
            Way::Up => (y > 1).then(|| point - self.width),
        }
    }

    /// Points on the border of a box, without its corners, with their distance from the middle of the side.
    fn ports(&self, index: usize) -> Vec<(usize, u32)> {
        let Some(rect) = self.boxes.get(index) else { return Vec::new() };
        let mut ports = Vec::new();
        let off = |at: usize, size: usize| (2 * at).abs_diff(size) as u32 / 2;
        for x in 1..rect.width {
            for y in [rect.y, rect.bottom()] {
                ports.push((y * self.width + rect.x + x, off(x, rect.width)));
            }
        }
        for y in 1..rect.height {
            for x in [rect.x, rect.right()] {
                ports.push(((rect.y + y) * self.width + x, 3 + off(y, rect.height)));
            }
        }
        ports
    }

    fn edge(&self, point: usize, way: Way) -> (usize, usize) {
        match way {
            Way::Right => (0, point),
            Way::Down => (1, point),
            Way::Left => (0, point - 1),
            Way::Up => (1, point - self.width),
        }
    }

    /// The extra cost of a step, and of arriving at its end.
    fn toll(&self, id: u16, point: usize, way: Way, end: usize) -> u32 {
        let (axis, edge) = self.edge(point, way);
        let owner = self.edges[axis][edge];
        let mut toll = if owner != 0 && owner != id { OVERLAP } else { 0 };
        let used = self.uses[end];
        let (along, across) = if way.is_horizontal() {
            (used.horizontal, used.vertical)
        } else {
            (used.vertical, used.horizontal)
        };
        let foreign = |net: u16| net != 0 && net != id;
        if foreign(along) || (foreign(across) && used.corner) {
            toll += TOUCH;
        } else if foreign(across) {
            toll += CROSSING;
        }
        toll + if self.near[end] { NEAR } else { 0 }
    }

    /// The cheapest path. Costs are small numbers, so the queue has a list for each.
    fn find(&self, net: &Net, id: u16, from: usize, hub: usize) -> Option<Vec<usize>> {
        let mut goals = vec![u32::MAX; self.width * self.height];
        if net.points.is_empty() {
            self.ports(hub).into_iter().for_each(|(port, cost)| goals[port] = cost);
        } else {
            for point in &net.points {
                let other = self.uses[*point];
                let shared = [other.horizontal, other.vertical].iter().any(|net| *net != 0 && *net != id);
                goals[*point] = if shared { TOUCH } else { 1 };
            }
        }
        let mut best = vec![u32::MAX; goals.len() * 4 + 1];
        let mut before = vec![usize::MAX; best.len()];
        let mut queue: Vec<Vec<usize>> = Vec::new();
        let push = |best: &mut Vec<u32>,
                    before: &mut Vec<usize>,
                    queue: &mut Vec<Vec<usize>>,
                    state: usize,
                    cost: u32,
                    parent: usize| {
            if cost < best[state] {
                best[state] = cost;
                before[state] = parent;
                let at = cost as usize;
                if queue.len() <= at {
                    queue.resize(at + 1, Vec::new());
                }
                queue[at].push(state);
            }
        };
        let finish = goals.len() * 4;
        let starts: Vec<_> = self.ports(from);
        for (port, cost) in &starts {
            for (turn, way) in WAYS.into_iter().enumerate() {
                let Some(next) = self.neighbour(*port, way).filter(|next| !self.blocked[*next]) else {
                    continue;
                };
                let cost = cost + STEP + self.toll(id, *port, way, next);
                // The parent of a first step is its port, marked by the offset.
                push(&mut best, &mut before, &mut queue, next * 4 + turn, cost, finish + 1 + port);
            }
        }
        let mut level = 0;
        while level < queue.len() {
            let Some(state) = queue[level].pop() else {
                level += 1;
                continue;
            };
            if best[state] as usize != level {
                continue;
            }
            if state == finish {
                return Some(self.trace(&before, finish));
            }
            let (point, turn) = (state / 4, state % 4);
            if goals[point] != u32::MAX {
                push(&mut best, &mut before, &mut queue, finish, level as u32 + goals[point], state);
            }
            if self.blocked[point] {
                continue;
            }
            for (next_turn, way) in WAYS.into_iter().enumerate() {
                if (next_turn + 2) % 4 == turn {
                    continue;
                }
                let Some(next) = self.neighbour(point, way) else { continue };
                if self.blocked[next] && goals[next] == u32::MAX {
                    continue;
                }
                let used = self.uses[point];
                let touches = [used.horizontal, used.vertical].iter().any(|net| *net != 0 && *net != id);
                let bend = match next_turn == turn {
                    true => 0,
                    false if touches => BEND + TOUCH,
                    false => BEND,
                };
                let cost = level as u32 + STEP + bend + self.toll(id, point, way, next);
                push(&mut best, &mut before, &mut queue, next * 4 + next_turn, cost, state);
            }
        }
        None
    }

    /// The points of a path, from its port.
    fn trace(&self, before: &[usize], finish: usize) -> Vec<usize> {
        let mut points = Vec::new();
        let mut state = before[finish];
        while state < finish {
            points.push(state / 4);
            state = before[state];
        }
        points.push(state - finish - 1);
        points.reverse();
        points
    }

    fn mark(&mut self, net: &mut Net, id: u16, path: &[usize]) {
        for (index, point) in path.iter().enumerate() {
            let neighbours = [index.checked_sub(1), Some(index + 1)].map(|at| at.and_then(|at| path.get(at)));
            let horizontal = neighbours.iter().flatten().any(|other| other.abs_diff(*point) == 1);
            let vertical = neighbours.iter().flatten().any(|other| other.abs_diff(*point) != 1);
            let used = &mut self.uses[*point];
            used.corner |= horizontal && vertical || neighbours.contains(&None);
            if horizontal {
                used.horizontal = id;
            }
            if vertical {
                used.vertical = id;
            }
            net.points.insert(*point);
        }
        for pair in path.windows(2) {
            let [a, b] = [pair[0].min(pair[1]), pair[0].max(pair[1])];
            let edge = &mut self.edges[usize::from(b - a != 1)][a];
            if *edge != 0 && *edge != id {
                self.overlaps += 1;
            }
            *edge = id;
        }
    }
}

/// The ends and bends of a path.
fn corners(path: &[Point]) -> Vec<Point> {
    let straight = |index: usize| {
        let around = [index.wrapping_sub(1), index, index + 1].map(|at| path.get(at));
        matches!(around, [Some(a), Some(b), Some(c)] if (a.0 == b.0 && b.0 == c.0) || (a.1 == b.1 && b.1 == c.1))
    };
    path.iter().enumerate().filter(|(index, _)| !straight(*index)).map(|(_, point)| *point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes() -> Vec<Rect> {
        let at = |x, y| Rect { x, y, width: 4, height: 4 };
        vec![at(2, 2), at(12, 2), at(22, 2)]
    }

    #[test]
    fn facing_boxes_are_joined_by_a_straight_line() {
        let mut router = Router::new(40, 12, boxes());
        let line = router.route(&mut Net::default(), 1, 0, 1);
        assert_eq!(line, Some(vec![(6, 4), (12, 4)]));
    }

    #[test]
    fn lines_go_around_boxes() {
        let mut router = Router::new(40, 12, boxes());
        let line = router.route(&mut Net::default(), 1, 0, 2).unwrap_or_default();
        assert!(line.len() > 2, "{line:?}");
        let middle = boxes()[1];
        for pair in line.windows(2) {
            let (from, to) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            for point in (from.0..=to.0).flat_map(|x| (from.1..=to.1).map(move |y| (x, y))) {
                assert!(!middle.contains(point), "{line:?}");
            }
        }
    }

    #[test]
    fn lines_of_one_net_join_and_others_keep_apart() {
        let mut router = Router::new(40, 30, boxes());
        let mut net = Net::default();
        router.route(&mut net, 1, 0, 2);
        let joined = router.route(&mut net, 1, 1, 2).unwrap_or_default();
        let end = joined.last().map(|(x, y)| y * 40 + x);
        assert!(end.is_some_and(|end| net.points.contains(&end)));
        for id in 2..6 {
            assert!(router.route(&mut Net::default(), id, 0, 2).is_some());
        }
        assert_eq!(router.overlaps, 0);
    }

    #[test]
    fn an_enclosed_box_has_no_route() {
        let full = Rect { x: 0, y: 0, width: 9, height: 9 };
        let inner = Rect { x: 2, y: 2, width: 4, height: 4 };
        assert_eq!(Router::new(10, 10, vec![full, inner]).route(&mut Net::default(), 1, 1, 0), None);
    }
}
