//! The programs of a system, their channels and the memory that they share.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use limen_builder::Report;
use limen_builder::report::{MemoryRegion, ProtectionDomain, human_bytes};

/// A system as a graph. Programs are named by their index.
#[derive(Clone, Debug)]
pub struct Graph<'a> {
    /// The programs, parents before their children.
    pub programs: Vec<Program<'a>>,
    /// Titles of the areas of programs: scheduling domains in the order of their first program, or processors.
    pub areas: Vec<String>,
    /// Pairs of programs with a channel.
    pub links: Vec<Link>,
    /// Memory that several programs map.
    pub shared: Vec<Shared<'a>>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// Its part of the report.
    pub facts: &'a ProtectionDomain,
    /// Its parent.
    pub parent: Option<usize>,
    /// Position of its scheduling domain or processor in [`Graph::areas`].
    pub area: Option<usize>,
    /// Its devices and interrupts.
    pub hardware: Vec<String>,
}

/// All channels between two programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The programs, ascending.
    pub ends: [usize; 2],
    /// Which of them may call the other.
    pub calls: [bool; 2],
    /// Which of them may notify the other.
    pub notifies: [bool; 2],
}

/// Memory regions with the same users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared<'a> {
    /// Names and sizes.
    pub regions: Vec<(&'a str, u64)>,
    /// At least two programs, ascending, with their access.
    pub users: Vec<(usize, Access)>,
    /// Devices, not memory.
    pub device: bool,
}

/// Access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Only reads.
    Read,
    /// Reads and writes.
    Write,
}

impl<'a> Graph<'a> {
    /// The graph of a system.
    #[must_use]
    pub fn new(report: &'a Report) -> Self {
        let names = report.protection_domains.iter().enumerate();
        let index: HashMap<_, _> = names.map(|(index, facts)| (facts.name.as_str(), index)).collect();
        let mut areas = if report.domains.is_some() { Vec::new() } else { processors(report) };
        let programs = report.protection_domains.iter().map(|facts| {
            let area = facts.domain.clone().or_else(|| facts.cpu.map(processor));
            let area = area.map(|name| position(&mut areas, name));
            let parent = facts.parent.as_deref().and_then(|parent| index.get(parent).copied());
            Program { facts, parent, area, hardware: Vec::new() }
        });
        let mut programs: Vec<_> = programs.collect();
        hardware(&mut programs, report, &index);
        Self { programs, areas, links: links(report, &index), shared: shared(report, &index) }
    }

    /// The children of a program.
    pub fn children(&self, program: usize) -> impl Iterator<Item = usize> {
        let all = self.programs.iter().enumerate();
        all.filter(move |(_, other)| other.parent == Some(program)).map(|(index, _)| index)
    }

    /// The programs without a parent in an area, or without any area.
    pub fn roots(&self, area: Option<usize>) -> impl Iterator<Item = usize> {
        let all = self.programs.iter().enumerate();
        all.filter(move |(_, program)| program.parent.is_none() && program.area == area)
            .map(|(index, _)| index)
    }

    /// The area of a program, in words, if it is drawn with its parent and runs elsewhere.
    #[must_use]
    pub fn elsewhere(&self, program: &Program) -> Option<String> {
        let parent = self.programs.get(program.parent?)?;
        let area = self.areas.get(program.area?).filter(|_| parent.area != program.area)?;
        Some(format!("{} {area}", if program.facts.domain.is_some() { "in" } else { "on" }))
    }

    /// The outermost ancestor of a program, or the program.
    #[must_use]
    pub fn root(&self, program: usize) -> usize {
        let mut root = program;
        // A parent comes before its children, so this ends.
        while let Some(parent) = self.programs.get(root).and_then(|program| program.parent) {
            root = parent;
        }
        root
    }
}

/// Processors with programs, ascending.
fn processors(report: &Report) -> Vec<String> {
    let used: BTreeSet<u8> = report.protection_domains.iter().filter_map(|program| program.cpu).collect();
    used.into_iter().map(processor).collect()
}

fn processor(cpu: u8) -> String {
    format!("processor {cpu}")
}

fn position(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn is_device(region: &MemoryRegion) -> bool {
    region.kind == "device"
}

fn hardware(programs: &mut [Program], report: &Report, index: &HashMap<&str, usize>) {
    let mut add = |name: &str, what: String| {
        if let Some(program) = index.get(name).and_then(|index| programs.get_mut(*index)) {
            program.hardware.push(what);
        }
    };
    for region in report.memory_regions.iter().filter(|region| is_device(region)) {
        region.maps.iter().for_each(|map| add(&map.pd, region.name.clone()));
    }
    for interrupt in &report.interrupts {
        add(&interrupt.owner, format!("irq {}", interrupt.line));
    }
}

fn links(report: &Report, index: &HashMap<&str, usize>) -> Vec<Link> {
    let mut pairs: BTreeMap<[usize; 2], Link> = BTreeMap::new();
    for channel in &report.channels {
        let [a, b] = &channel.ends[..] else { continue };
        let (Some(&at), Some(&bt)) = (index.get(a.pd.as_str()), index.get(b.pd.as_str())) else { continue };
        let (first, second, ends) = if at < bt { (a, b, [at, bt]) } else { (b, a, [bt, at]) };
        let link = pairs.entry(ends).or_insert(Link { ends, calls: [false; 2], notifies: [false; 2] });
        for (side, end) in [first, second].into_iter().enumerate() {
            link.calls[side] |= end.pp;
            link.notifies[side] |= end.notify;
        }
    }
    pairs.into_values().collect()
}

fn shared<'a>(report: &'a Report, index: &HashMap<&str, usize>) -> Vec<Shared<'a>> {
    let mut groups: Vec<Shared> = Vec::new();
    let mut of_users: HashMap<(bool, Vec<(usize, Access)>), usize> = HashMap::new();
    for region in &report.memory_regions {
        let mut users: BTreeMap<usize, Access> = BTreeMap::new();
        for map in &region.maps {
            let access = if map.perms.contains('w') { Access::Write } else { Access::Read };
            let Some(user) = index.get(map.pd.as_str()) else { continue };
            users.entry(*user).and_modify(|known| *known = access.max(*known)).or_insert(access);
        }
        if users.len() < 2 {
            continue;
        }
        let users: Vec<_> = users.into_iter().collect();
        let device = is_device(region);
        let group = *of_users.entry((device, users.clone())).or_insert_with(|| {
            groups.push(Shared { regions: Vec::new(), users, device });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(group) {
            group.regions.push((&region.name, region.bytes));
        }
    }
    groups
}

/// Direction of data between a program and shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flow {
    /// Into the memory: it is the only program that writes.
    In,
    /// Out of the memory.
    Out,
    /// Both.
    Both,
}

impl Link {
    /// Calls, from the caller to the server.
    #[must_use]
    pub fn calls(&self) -> Vec<(usize, usize)> {
        self.arrows(self.calls)
    }

    /// Notifications, from the sender to the receiver.
    #[must_use]
    pub fn notifications(&self) -> Vec<(usize, usize)> {
        self.arrows(self.notifies)
    }

    fn arrows(&self, may: [bool; 2]) -> Vec<(usize, usize)> {
        let [a, b] = self.ends;
        [(a, b), (b, a)].into_iter().zip(may).filter(|(_, may)| *may).map(|(arrow, _)| arrow).collect()
    }
}

impl Shared<'_> {
    /// Every user with the direction of its data.
    pub fn flows(&self) -> impl Iterator<Item = (usize, Flow)> {
        let lone = self.users.iter().filter(|(_, access)| *access == Access::Write).count() == 1;
        self.users.iter().map(move |(user, access)| match access {
            Access::Read => (*user, Flow::Out),
            Access::Write if lone => (*user, Flow::In),
            Access::Write => (*user, Flow::Both),
        })
    }

    /// Names and sizes, one per line, at most `most` lines.
    #[must_use]
    pub fn lines(&self, most: usize) -> Vec<String> {
        let line = |(name, bytes): &(&str, u64)| format!("{name}, {}", human_bytes(*bytes));
        if self.regions.len() <= most {
            return self.regions.iter().map(line).collect();
        }
        let shown = most.saturating_sub(1);
        let rest: u64 = self.regions.iter().skip(shown).map(|(_, bytes)| bytes).sum();
        let count = self.regions.len() - shown;
        let more = format!("{count} more, {}", human_bytes(rest));
        self.regions.iter().take(shown).map(line).chain([more]).collect()
    }
}
