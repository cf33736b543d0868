//! Places programs and shared memory in rows, in the boxes of their parents and areas. An area is a scheduling domain or a
//! processor.
//!
//! Within an area, connected programs of lower priority are above those of higher priority, so that calls point down.
//! Shared memory is below the first of its users. Everything is in grid units.

use crate::graph::Graph;
use crate::node::{NAME_PX, Node, UNIT};
use crate::router::Rect;
use crate::text;

/// Space between the border of a box and its contents.
const PADDING: usize = 2;
/// Height of the title of an area.
const TITLE: usize = 3;

/// Places of everything.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// One per node: programs, then shared memory.
    pub nodes: Vec<Rect>,
    /// Boxes around others, outer ones first.
    pub groups: Vec<(Group, Rect)>,
    /// Titles of areas, with their index.
    pub titles: Vec<(usize, Rect)>,
    /// Size of the drawing.
    pub width: usize,
    /// Size of the drawing.
    pub height: usize,
}

/// A box around others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// A program with its children.
    Family(usize),
    /// An area.
    Area(usize),
}

#[derive(Clone, Copy, Debug)]
enum Item {
    Node(usize),
    Group(Group),
}

/// Placed things with a common origin.
#[derive(Clone, Debug, Default)]
struct Block {
    width: usize,
    height: usize,
    items: Vec<(Item, Rect)>,
}

impl Block {
    fn add(&mut self, other: Self, x: usize, y: usize) {
        self.width = self.width.max(x + other.width);
        self.height = self.height.max(y + other.height);
        let moved = |(item, rect): (Item, Rect)| (item, Rect { x: rect.x + x, y: rect.y + y, ..rect });
        self.items.extend(other.items.into_iter().map(moved));
    }

    /// The block in a box. A title leaves space at the top.
    fn boxed(self, group: Group, title: usize) -> Self {
        let rect =
            Rect { x: 0, y: 0, width: self.width + 2 * PADDING, height: self.height + title + 2 * PADDING };
        let mut outer =
            Self { width: rect.width, height: rect.height, items: vec![(Item::Group(group), rect)] };
        outer.add(self, PADDING, title + PADDING);
        outer
    }
}

/// The placing of one drawing.
struct Placing<'a> {
    graph: &'a Graph<'a>,
    nodes: &'a [Node],
    gap: usize,
    most: usize,
}

/// Places the nodes in a drawing of about `most` units in width, with `gap` units between them.
#[must_use]
pub fn place(graph: &Graph, nodes: &[Node], most: usize, gap: usize) -> Layout {
    let placing = Placing { graph, nodes, gap, most };
    let drawing = placing.drawing();
    let mut layout = Layout {
        nodes: vec![Rect::default(); nodes.len()],
        groups: Vec::new(),
        titles: Vec::new(),
        width: drawing.width + 2 * PADDING,
        height: drawing.height + 2 * PADDING,
    };
    for (item, rect) in drawing.items {
        let rect = Rect { x: rect.x + PADDING, y: rect.y + PADDING, ..rect };
        match item {
            Item::Group(group) => {
                layout.titles.extend(title(graph, group, rect));
                layout.groups.push((group, rect));
            }
            Item::Node(index) => layout.nodes[index] = rect,
        }
    }
    layout
}

/// The place of an area's title, in the upper left corner of its box.
fn title(graph: &Graph, group: Group, outer: Rect) -> Option<(usize, Rect)> {
    let Group::Area(area) = group else { return None };
    let wanted = text::width(graph.areas.get(area)?, NAME_PX).div_ceil(UNIT);
    let rect = Rect { x: outer.x + 1, y: outer.y + 1, width: wanted.min(outer.width - 2), height: TITLE - 1 };
    Some((area, rect))
}

impl Placing<'_> {
    /// Areas from top to bottom; memory that several use is below the first of them.
    fn drawing(&self) -> Block {
        let areas = self.graph.areas.len();
        let mut bands: Vec<Block> = Vec::new();
        if areas == 0 {
            let all: Vec<_> = (0..self.graph.shared.len()).collect();
            bands.push(self.band(None, &all));
        }
        for area in 0..areas {
            let (inside, across): (Vec<_>, Vec<_>) =
                self.shared_of(area).partition(|shared| self.is_inside(*shared));
            let band = self.band(Some(area), &inside);
            // An area may have only children of programs of other areas.
            if !band.items.is_empty() {
                bands.push(band.boxed(Group::Area(area), TITLE));
            }
            if !across.is_empty() {
                bands.push(self.rows(across.iter().map(|shared| self.pill(*shared)).collect(), self.most));
            }
        }
        self.stack(bands)
    }

    /// Shared memory with its first user in this area.
    fn shared_of(&self, area: usize) -> impl Iterator<Item = usize> {
        let first = move |shared: &usize| self.areas_of(*shared).min() == Some(area);
        (0..self.graph.shared.len()).filter(first)
    }

    /// The areas in whose boxes its users are.
    fn areas_of(&self, shared: usize) -> impl Iterator<Item = usize> {
        let users = self.graph.shared.get(shared).into_iter().flat_map(|shared| &shared.users);
        users.filter_map(|(user, _)| self.graph.programs.get(self.graph.root(*user))?.area)
    }

    fn is_inside(&self, shared: usize) -> bool {
        let mut areas = self.areas_of(shared);
        let first = areas.next();
        areas.all(|area| Some(area) == first)
    }

    fn leaf(&self, node: usize) -> Block {
        let size = self.nodes.get(node).map_or((0, 0), |node| (node.width, node.height));
        let rect = Rect { x: 0, y: 0, width: size.0, height: size.1 };
        Block { width: rect.width, height: rect.height, items: vec![(Item::Node(node), rect)] }
    }

    fn pill(&self, shared: usize) -> Block {
        self.leaf(self.graph.programs.len() + shared)
    }

    /// A program, in a box with its children if it has any.
    fn program(&self, program: usize, most: usize) -> Block {
        let children: Vec<_> = self.graph.children(program).collect();
        if children.is_empty() {
            return self.leaf(program);
        }
        let most = most.saturating_sub(2 * PADDING);
        let children = children.into_iter().map(|child| self.program(child, most)).collect();
        self.stack(vec![self.leaf(program), self.rows(children, most)]).boxed(Group::Family(program), 0)
    }

    /// The programs without a parent of an area, and shared memory.
    fn band(&self, area: Option<usize>, shared: &[usize]) -> Block {
        // A family is placed with its root; its members may belong to other areas.
        let is_root = |index: &usize| {
            self.graph
                .programs
                .get(*index)
                .is_some_and(|program| program.parent.is_none() && program.area == area)
        };
        let roots: Vec<usize> = (0..self.graph.programs.len()).filter(is_root).collect();
        let most = if area.is_some() { self.most.saturating_sub(2 * PADDING) } else { self.most };
        let mut layers: Vec<Vec<usize>> = Vec::new();
        for (root, rank) in roots.iter().zip(self.ranks(&roots)) {
            layers.resize_with(layers.len().max(rank + 1), Vec::new);
            layers[rank].push(*root);
        }
        self.order(&mut layers);
        let layer_of = |root: usize| layers.iter().position(|layer| layer.contains(&root));
        let below = |shared: &usize| {
            let users = self.graph.shared.get(*shared).into_iter().flat_map(|shared| &shared.users);
            users.filter_map(|(user, _)| layer_of(self.graph.root(*user))).min().unwrap_or(0)
        };
        let mut rows = Vec::new();
        for (rank, layer) in layers.iter().enumerate() {
            rows.push(self.rows(layer.iter().map(|root| self.program(*root, most)).collect(), most));
            let pills: Vec<_> = shared.iter().filter(|shared| below(shared) == rank).collect();
            rows.push(self.rows(pills.into_iter().map(|shared| self.pill(*shared)).collect(), most));
        }
        self.stack(rows)
    }

    /// Pairs of roots with a connection between their families.
    fn connections(&self) -> Vec<(usize, usize)> {
        let links = self.graph.links.iter().map(|link| (link.ends[0], link.ends[1]));
        let shared = self.graph.shared.iter().flat_map(|shared| {
            let first = shared.users.first().map_or(0, |(user, _)| *user);
            shared.users.iter().skip(1).map(move |(user, _)| (first, *user))
        });
        let roots = links.chain(shared).map(|(a, b)| (self.graph.root(a), self.graph.root(b)));
        let mut pairs: Vec<_> = roots.filter(|(a, b)| a != b).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The layer of each root: one below the connected roots of lower priority.
    fn ranks(&self, roots: &[usize]) -> Vec<usize> {
        let priority =
            |root: usize| self.graph.programs.get(root).map_or(0, |program| program.facts.priority);
        let mut sorted: Vec<_> = roots.to_vec();
        sorted.sort_by_key(|root| priority(*root));
        let connections = self.connections();
        let mut ranks = vec![0; self.graph.programs.len()];
        for root in sorted {
            let others = connections.iter().filter_map(|(a, b)| match (*a == root, *b == root) {
                (true, _) => Some(*b),
                (_, true) => Some(*a),
                _ => None,
            });
            let above = others.filter(|other| roots.contains(other) && priority(*other) < priority(root));
            ranks[root] = above.map(|other| ranks[other] + 1).max().unwrap_or(0);
        }
        roots.iter().map(|root| ranks[*root]).collect()
    }

    /// Orders each layer by the mean position of its neighbours in other layers, downwards and upwards.
    fn order(&self, layers: &mut [Vec<usize>]) {
        let connections = self.connections();
        let mut position = vec![0.0_f64; self.graph.programs.len()];
        let number = |layer: &[usize], position: &mut Vec<f64>| {
            for (at, root) in layer.iter().enumerate() {
                position[*root] = (at as f64 + 0.5) / layer.len() as f64;
            }
        };
        layers.iter().for_each(|layer| number(layer, &mut position));
        let downwards: Vec<_> = (0..layers.len()).collect();
        let upwards: Vec<_> = downwards.iter().rev().copied().collect();
        for index in [downwards.clone(), upwards, downwards].concat() {
            let layer = &mut layers[index];
            let mean = |root: usize| {
                let near = connections.iter().filter_map(|(a, b)| match (*a == root, *b == root) {
                    (true, _) => Some(*b),
                    (_, true) => Some(*a),
                    _ => None,
                });
                let near: Vec<f64> = near.map(|other| position[other]).collect();
                if near.is_empty() { position[root] } else { near.iter().sum::<f64>() / near.len() as f64 }
            };
            let mut keyed: Vec<_> = layer.iter().map(|root| (mean(*root), *root)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            *layer = keyed.into_iter().map(|(_, root)| root).collect();
            number(layer, &mut position);
        }
    }

    /// Blocks from left to right, in as many rows as necessary, each row centred.
    fn rows(&self, blocks: Vec<Block>, most: usize) -> Block {
        let mut rows: Vec<Vec<Block>> = Vec::new();
        let mut width = 0;
        for block in blocks {
            let wider = width + self.gap + block.width;
            match rows.last_mut() {
                Some(row) if wider <= most => {
                    width = wider;
                    row.push(block);
                }
                _ => {
                    width = block.width;
                    rows.push(vec![block]);
                }
            }
        }
        let row = |blocks: Vec<Block>| {
            let mut row = Block::default();
            for block in blocks {
                let x = if row.items.is_empty() { 0 } else { row.width + self.gap };
                row.add(block, x, 0);
            }
            row
        };
        self.stack(rows.into_iter().map(row).collect())
    }

    /// Blocks from top to bottom, centred.
    fn stack(&self, blocks: Vec<Block>) -> Block {
        let width = blocks.iter().map(|block| block.width).max().unwrap_or(0);
        let mut stack = Block { width, ..Block::default() };
        for block in blocks.into_iter().filter(|block| !block.items.is_empty()) {
            let y = if stack.items.is_empty() { 0 } else { stack.height + self.gap };
            let x = (width - block.width) / 2;
            stack.add(block, x, y);
        }
        stack
    }
}
