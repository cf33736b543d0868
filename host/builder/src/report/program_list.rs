//! The protection domains with their rights.

use limen_sdf::model::{self, KeyUse, Service, SystemDescription, WipeTrigger};
use serde::Serialize;

use super::{Hex, object_graph};
use crate::address_plan::stack_bytes;
use crate::build::Built;

/// A protection domain of the description.
#[derive(Clone, Debug, Serialize)]
pub struct ProtectionDomain {
    /// Its name.
    pub name: String,
    /// Its parent.
    pub parent: Option<String>,
    /// Its id in the parent.
    pub child_id: Option<u8>,
    /// The program file.
    pub program: String,
    /// The file of its symbols, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbols: Option<String>,
    /// Its priority.
    pub priority: u8,
    /// Microseconds per period.
    pub budget_us: u64,
    /// Microseconds.
    pub period_us: u64,
    /// The processor on which it runs, if the system has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u8>,
    /// Its scheduling domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// It runs on the time of its callers.
    pub passive: bool,
    /// It may use the floating-point unit.
    pub fpu: bool,
    /// It may read the cycle counter.
    pub counter: bool,
    /// Further rights: `timeout_fault`, `smc`, `fpu_counters`, `fpu_policy`, `probe`.
    pub rights: Vec<&'static str>,
    /// Lowest address of the stack.
    pub stack_start: Hex,
    /// First address after the stack.
    pub stack_end: Hex,
    /// Unmapped bytes below the stack, up to the next mapping or address 0.
    pub guard_bytes: u64,
    /// Ids of its interrupts.
    pub irqs: Vec<u8>,
    /// Its I/O ports.
    pub ioports: Vec<IoPorts>,
    /// Its static keys.
    pub keys: Vec<Key>,
    /// Its services.
    pub services: Vec<GrantedService>,
    /// Memory that the kernel clears.
    pub wipes: Vec<Wipe>,
    /// The element.
    pub at: String,
}

/// A range of I/O ports.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct IoPorts {
    /// Its id.
    pub id: u8,
    /// First port.
    pub first: Hex,
    /// Last port.
    pub last: Hex,
}

/// The use of a static key.
#[derive(Clone, Debug, Serialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// The id with which the program switches it.
    pub id: Option<u8>,
    /// The symbol whose branches follow it.
    pub symbol: Option<String>,
}

/// A service.
#[derive(Clone, Debug, Serialize)]
pub struct GrantedService {
    /// Its id.
    pub id: u8,
    /// Kind and target.
    pub what: String,
}

/// Memory that the kernel clears during an interrupt or a fault.
#[derive(Clone, Debug, Serialize)]
pub struct Wipe {
    /// The memory region.
    pub region: String,
    /// The interrupt's id; `None` for faults.
    pub irq: Option<u8>,
}

/// All protection domains, in the order of the description.
pub(super) fn programs(built: &Built) -> Vec<ProtectionDomain> {
    let system = &built.parts.system;
    let mut before = 0;
    let domains = system.protection_domains.iter().enumerate().map(|(index, domain)| {
        let first = before;
        before += domain.services.len();
        program(built, index, first)
    });
    domains.collect()
}

/// `first_service` is the position of its first service among all.
fn program(built: &Built, index: usize, first_service: usize) -> ProtectionDomain {
    let system = &built.parts.system;
    let domain = &system.protection_domains[index];
    let is_alone = built.parts.board.processors(&built.parts.config) == 1;
    let stack_end = built.parts.board.target(&built.parts.config).stack_top();
    let stack_start = stack_end - stack_bytes(system, index);
    let parent = domain.parent.as_ref();
    let program = &built.parts.programs[index];
    let has_own_symbols = program.symbols_path != program.path;
    let service = |(service, position): (&Service, usize)| GrantedService {
        id: service.id,
        what: object_graph::service(built, position),
    };
    ProtectionDomain {
        name: domain.name.clone(),
        parent: parent.map(|parent| system.protection_domains[parent.parent].name.clone()),
        child_id: parent.map(|parent| parent.id),
        program: program.path.display().to_string(),
        symbols: has_own_symbols.then(|| program.symbols_path.display().to_string()),
        priority: domain.priority,
        budget_us: domain.budget_us,
        period_us: domain.period_us,
        cpu: (!is_alone).then_some(domain.cpu),
        domain: system.domains.as_ref().map(|domains| domains.name_of(domain.domain).to_owned()),
        passive: domain.passive,
        fpu: domain.fpu,
        counter: domain.counter.is_some(),
        rights: rights(domain),
        stack_start: Hex(stack_start),
        stack_end: Hex(stack_end),
        guard_bytes: stack_start - highest_mapping_below(built, index, stack_start),
        irqs: domain.irqs.iter().map(|irq| irq.id).collect(),
        ioports: domain.ioports.iter().map(io_ports).collect(),
        keys: domain.keys.iter().map(|grant| key(system, grant)).collect(),
        services: domain.services.iter().zip(first_service..).map(service).collect(),
        wipes: domain.wipes.iter().map(|granted| wipe(system, granted)).collect(),
        at: domain.span.to_string(),
    }
}

fn rights(domain: &model::ProtectionDomain) -> Vec<&'static str> {
    let rights = [
        (domain.timeout_fault, "timeout_fault"),
        (domain.smc, "smc"),
        (domain.fpu_counters, "fpu_counters"),
        (domain.fpu_policy, "fpu_policy"),
        (domain.probe.is_some(), "probe"),
    ];
    rights.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect()
}

/// End of the highest mapping that ends at or below `address`; 0 if there is none.
fn highest_mapping_below(built: &Built, program: usize, address: u64) -> u64 {
    let own = built.spaces.mappings.iter().filter(|mapping| mapping.program == program);
    own.map(|mapping| mapping.vaddr + mapping.bytes).filter(|end| *end <= address).max().unwrap_or(0)
}

fn io_ports(ports: &model::IoPort) -> IoPorts {
    IoPorts { id: ports.id, first: Hex(ports.addr.into()), last: Hex(ports.last.into()) }
}

fn key(system: &SystemDescription, grant: &KeyUse) -> Key {
    Key {
        name: system.static_keys[grant.key].name.clone(),
        id: grant.id,
        symbol: grant.symbol.as_ref().map(|symbol| symbol.name.clone()),
    }
}

fn wipe(system: &SystemDescription, wipe: &model::Wipe) -> Wipe {
    Wipe {
        region: system.memory_regions[wipe.region].name.clone(),
        irq: match wipe.trigger {
            WipeTrigger::Irq(id) => Some(id),
            WipeTrigger::Fault => None,
        },
    }
}
