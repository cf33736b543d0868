//! The system, as the JSON report of its image describes it.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Deserializer, de::Error};

/// The part of a report that the symboliser uses. Unknown keys are ignored.
#[derive(Clone, Debug, Deserialize)]
pub struct System {
    /// Instruction set.
    pub architecture: String,
    /// Board of the image.
    pub board: String,
    /// Configuration of the image.
    pub config: String,
    /// Protection domains; a fault names one by its index.
    pub protection_domains: Vec<Domain>,
    physical_memory: Vec<Memory>,
    address_spaces: Vec<Space>,
    #[serde(default)]
    threads: Vec<Thread>,
}

/// A protection domain.
#[derive(Clone, Debug, Deserialize)]
pub struct Domain {
    /// Name.
    pub name: String,
    /// Name of the parent.
    pub parent: Option<String>,
    /// File of the program.
    pub program: String,
    /// File of its symbols, if it is another one.
    pub symbols: Option<String>,
    /// Budget in microseconds.
    pub budget_us: u64,
    /// Period in microseconds.
    pub period_us: u64,
    /// Whether it may use floating point.
    pub fpu: bool,
    /// Lowest address of the stack.
    pub stack_start: Address,
    /// First address after it.
    pub stack_end: Address,
}

/// A range of physical memory.
#[derive(Clone, Debug, Deserialize)]
struct Memory {
    start: Address,
    end: Address,
    kind: String,
    purpose: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Space {
    owner: String,
    ranges: Vec<Mapping>,
}

#[derive(Clone, Debug, Deserialize)]
struct Thread {
    entry: Address,
}

/// A mapped range of addresses.
#[derive(Clone, Debug, Deserialize)]
pub struct Mapping {
    /// First address.
    pub start: Address,
    /// First address after it.
    pub end: Address,
    paddr: Option<Address>,
    /// A subset of `rwx`.
    pub perms: String,
    /// Its purpose.
    pub purpose: String,
}

/// An address; a hexadecimal string in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address(pub u64);

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        u64::from_str_radix(digits, 16).map(Self).map_err(|_| D::Error::custom(format!("no address: {text}")))
    }
}

impl Mapping {
    /// The addresses.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.start.0..self.end.0
    }

    /// Name of the memory region, if it is one.
    #[must_use]
    pub fn region(&self) -> Option<&str> {
        self.purpose.strip_prefix("memory region ")
    }
}

impl System {
    /// Reads the JSON form of a report.
    ///
    /// # Errors
    /// A sentence with line and column.
    pub fn parse(report: &str) -> Result<Self, String> {
        serde_json::from_str(report).map_err(|error| format!("the report cannot be used: {error}"))
    }

    /// The mappings of a protection domain.
    #[must_use]
    pub fn mappings(&self, domain: &Domain) -> &[Mapping] {
        let space = self.address_spaces.iter().find(|space| space.owner == domain.name);
        space.map_or(&[], |space| &space.ranges)
    }

    /// The executable ranges of programs: the program's index and name, and its distance from virtual to physical addresses.
    /// The monitor follows the protection domains.
    #[must_use]
    pub fn code(&self) -> Vec<(usize, String, u64)> {
        let mut code = Vec::new();
        for space in &self.address_spaces {
            let position = self.protection_domains.iter().position(|domain| domain.name == space.owner);
            let index = position.unwrap_or(self.protection_domains.len());
            for range in space.ranges.iter().filter(|range| range.perms.contains('x')) {
                if let Some(Address(paddr)) = range.paddr {
                    code.push((index, space.owner.clone(), paddr.wrapping_sub(range.start.0)));
                }
            }
        }
        code
    }

    /// The first addresses of all programs.
    #[must_use]
    pub fn entries(&self) -> HashSet<u64> {
        self.threads.iter().map(|thread| thread.entry.0).collect()
    }

    /// Whether a mapping leads to a device.
    #[must_use]
    pub fn is_device(&self, mapping: &Mapping) -> bool {
        let Some(Address(paddr)) = mapping.paddr else { return false };
        self.physical_memory.iter().any(|memory| memory.kind == "device" && memory.start.0 == paddr)
    }

    /// Name of the memory region with a fixed place at a physical address.
    #[must_use]
    pub fn region_at(&self, paddr: u64) -> Option<&str> {
        let is_fixed = |memory: &&Memory| ["device", "fixed"].contains(&memory.kind.as_str());
        let mut fixed = self.physical_memory.iter().filter(is_fixed);
        fixed
            .find(|memory| (memory.start.0..memory.end.0).contains(&paddr))?
            .purpose
            .strip_prefix("memory region ")
    }
}
