//! Kernel objects of a system, and their owners by index.
//!
//! Thread, address space, capability table, reply object and scheduling context `i` belong to protection domain `i`;
//! the monitor's follow the last. Notification `i` belongs to protection domain `i`, and in the debug configuration the
//! one after the last to the monitor. Endpoints are few, so they are numbered in the order of their owners.

use limen_abi::{KernelKey, slot};
use limen_image::{Counts, DomainSlot, Home, Key, NONE, SchedContext, Thread, ThreadFlags};
use limen_sdf::model::{ProtectionDomain, StaticKey, SystemDescription};
use limen_sdf::{Diagnostic, Target};

use crate::board::Board;
use crate::config::Config;
use crate::interrupts::{OwnedInterrupt, interrupts};
use crate::program::Program;
use crate::{schedule, services};

/// Priority of the monitor, above every protection domain.
pub(crate) const MONITOR_PRIORITY: u64 = 255;
/// Scheduling domain of the monitor.
pub(crate) const MONITOR_DOMAIN: u64 = 0;
/// Home processor of the monitor.
pub(crate) const MONITOR_PROCESSOR: u8 = 0;
/// Budget and period of the monitor.
const MONITOR_PERIOD_US: u64 = 1000;

/// The objects of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objects {
    /// Threads, by index.
    pub threads: Vec<Thread>,
    /// Scheduling contexts, by index.
    pub sched_contexts: Vec<SchedContext>,
    /// Number of other objects.
    pub counts: Counts,
    /// Interrupts, by index.
    pub interrupts: Vec<OwnedInterrupt>,
    /// Static keys, by index.
    pub keys: Vec<Key>,
    /// Protection domains with an endpoint, in index order.
    pub endpoint_owners: Vec<usize>,
    /// The domain schedule.
    pub domain_schedule: Vec<DomainSlot>,
    /// With several processors: homes of endpoints, notifications and reply objects.
    pub homes: Vec<Home>,
}

impl Objects {
    /// Determines the objects of a system. `programs` holds those of the protection domains, then the monitor.
    ///
    /// # Errors
    /// An interrupt is unavailable.
    pub fn new(
        system: &SystemDescription,
        programs: &[Program],
        config: &Config,
        board: &Board,
    ) -> Result<Self, Diagnostic> {
        let target = &board.target(config);
        let domains = &system.protection_domains;
        let endpoint_owners: Vec<usize> = (0..domains.len()).filter(|&pd| is_called(system, pd)).collect();
        let threads = programs.iter().enumerate().map(|(i, p)| thread(system, i, p, config, target));
        let monitor = SchedContext {
            budget_us: MONITOR_PERIOD_US,
            period_us: MONITOR_PERIOD_US,
            processor: u64::from(MONITOR_PROCESSOR),
        };
        let contexts = domains.iter().map(|d| SchedContext {
            budget_us: d.budget_us,
            period_us: d.period_us,
            processor: u64::from(d.cpu),
        });
        let all = programs.len() as u64;
        let counts = Counts {
            endpoints: endpoint_owners.len() as u64 + 1,
            notifications: domains.len() as u64 + u64::from(config.is_printing()),
            replies: all,
            vspaces: all + domains.iter().filter(|domain| services::needs_space(domain)).count() as u64,
            trace: 0,
        };
        let processors = board.processors(config);
        Ok(Self {
            homes: if processors == 1 { Vec::new() } else { homes(domains, &endpoint_owners, &counts) },
            threads: threads.collect(),
            sched_contexts: contexts.chain([monitor]).collect(),
            counts,
            interrupts: interrupts(system, board)?,
            keys: system.static_keys.iter().map(|key| record(key, config)).collect(),
            endpoint_owners,
            domain_schedule: schedule::slots(system, processors),
        })
    }

    /// Index of a protection domain's endpoint, if it has one.
    #[must_use]
    pub fn endpoint_of(&self, protection_domain: usize) -> Option<u64> {
        self.endpoint_owners.iter().position(|&owner| owner == protection_domain).map(|i| i as u64)
    }

    /// Index of the monitor's endpoint.
    #[must_use]
    pub fn monitor_endpoint(&self) -> u64 {
        self.endpoint_owners.len() as u64
    }
}

/// Each object is at home where the program runs that receives or replies with it.
fn homes(domains: &[ProtectionDomain], endpoint_owners: &[usize], counts: &Counts) -> Vec<Home> {
    let at = |cpu| Home { processor: u64::from(cpu) };
    let programs: Vec<Home> = domains.iter().map(|d| at(d.cpu)).chain([at(MONITOR_PROCESSOR)]).collect();
    let endpoints = endpoint_owners.iter().map(|&owner| programs[owner]).chain([at(MONITOR_PROCESSOR)]);
    let notifications = programs.iter().copied().take(counts.notifications as usize);
    endpoints.chain(notifications).chain(programs.iter().copied()).collect()
}

fn record(key: &StaticKey, config: &Config) -> Key {
    let is_option = |kernel: KernelKey| config.options() & kernel.option() != 0;
    Key {
        kernel: key.kernel.map_or(NONE, KernelKey::as_raw),
        default: u64::from(key.kernel.map_or(key.default, is_option)),
        group: key.group.map_or(NONE, |group| group as u64),
    }
}

/// Whether a protection domain receives messages: faults of children, or protected calls.
fn is_called(system: &SystemDescription, index: usize) -> bool {
    let is_parent =
        |child: &ProtectionDomain| child.parent.as_ref().is_some_and(|parent| parent.parent == index);
    system.protection_domains.iter().any(is_parent)
        || system.channels.iter().any(|channel| {
            let [a, b] = &channel.ends;
            [(a, b), (b, a)].iter().any(|(from, to)| from.may_call && to.protection_domain == index)
        })
}

fn thread(
    system: &SystemDescription,
    index: usize,
    program: &Program,
    config: &Config,
    target: &Target,
) -> Thread {
    let own = index as u64;
    let domain = system.protection_domains.get(index);
    let has_counter = |domain: &ProtectionDomain| domain.counter.is_some() || config.is_benchmark();
    // If all protection domains have the counter, so does the monitor: then no thread switch changes the setting.
    let counts_cycles = domain.map_or_else(|| system.protection_domains.iter().all(has_counter), has_counter);
    // The monitor is compiled without floating point.
    let uses_fpu = domain.is_some_and(|domain| domain.fpu);
    Thread {
        name: limen_image::name_words(&program.name),
        priority: domain.map_or(MONITOR_PRIORITY, |domain| u64::from(domain.priority)),
        vspace: own,
        entry: program.entry,
        stack_top: target.stack_top(),
        ipc_buffer: program.ipc_buffer(target),
        sched_context: own,
        notification: if domain.is_some() || config.is_printing() { own } else { NONE },
        fault_slot: if domain.is_some() { slot::FAULT_ENDPOINT } else { NONE },
        timeout_slot: match domain {
            Some(domain) if domain.timeout_fault => slot::FAULT_ENDPOINT,
            _ => NONE,
        },
        domain: domain.map_or(MONITOR_DOMAIN, |domain| u64::from(domain.domain)),
        processor: u64::from(domain.map_or(MONITOR_PROCESSOR, |domain| domain.cpu)),
        flags: (if counts_cycles { ThreadFlags::COUNTER } else { 0 })
            | (if uses_fpu { 0 } else { ThreadFlags::FPU_DISABLED }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image_type::ImageType;
    use crate::test_elf::TestElf;
    use crate::test_system::{FAMILY, built, parts, program};

    #[test]
    fn keys_of_the_kernel_follow_the_configuration() {
        let text = r#"<system><static_key name="trace" default="true" />
            <protection_domain name="a"><program_image path="p" />
                <key name="kernel.printing" id="0" /><key name="trace" id="31" />
                <key name="kernel.self_check" id="2" />
            </protection_domain></system>"#;
        let key = |kernel, default| Key { kernel, default, group: NONE };
        let expected =
            [key(NONE, 1), key(KernelKey::Printing.as_raw(), 1), key(KernelKey::SelfCheck.as_raw(), 0)];
        let built = built(text);
        assert_eq!(built.objects.keys, expected);
        let slots = built.tables.caps.iter().filter(|cap| cap.kind == limen_image::CapKind::Key as u64);
        let slots: Vec<_> = slots.map(|cap| (cap.slot - slot::BASE_KEY, cap.object)).collect();
        assert_eq!(slots, [(0, 1), (2, 2), (31, 0)]);
    }

    #[test]
    fn programs_without_our_library_may_choose_the_place_of_their_buffer() {
        let text =
            r#"<system><protection_domain name="a"><program_image path="p" /></protection_domain></system>"#;
        let buffer = |elf: &TestElf| {
            let mut parts = parts(text, "debug");
            parts.programs[0] = program("a", elf);
            parts.build(ImageType::Binary).unwrap().objects.threads[0].ipc_buffer
        };
        let chosen = TestElf::program().symbol("__sel4_ipc_buffer_obj", 0x1f_f000, 0);
        assert_eq!(buffer(&TestElf::program()), 0xff_ffff_f000);
        assert_eq!(buffer(&chosen), 0x1f_f000);
        // A link script may set the symbol also for programs whose library does not ask for it.
        assert_eq!(buffer(&chosen.symbol("microkit_have_signal", 0x20_1078, 1)), 0xff_ffff_f000);
    }

    const SPREAD: &str = r#"<system>
        <protection_domain name="parent" cpu="1"><program_image path="p" />
            <protection_domain name="child" id="0" cpu="2"><program_image path="p" /></protection_domain>
        </protection_domain>
        <protection_domain name="driver" cpu="3" priority="1"><program_image path="p" />
            <irq irq="40" id="0" /></protection_domain>
        <protection_domain name="server" priority="2" passive="true"><program_image path="p" />
        </protection_domain>
        <channel><end pd="driver" id="1" pp="true" /><end pd="server" id="2" /></channel>
        </system>"#;

    #[test]
    fn objects_are_at_home_where_their_program_runs() {
        let built = parts(SPREAD, "smp-debug").build(ImageType::Binary).unwrap();
        let (tables, objects) = (&built.tables, &built.objects);
        let processors = |homes: &[Home]| homes.iter().map(|home| home.processor).collect::<Vec<_>>();
        assert_eq!(tables.processors, 4);
        let programs = [1, 2, 3, 0, 0];
        assert_eq!(objects.threads.iter().map(|thread| thread.processor).collect::<Vec<_>>(), programs);
        let contexts: Vec<_> = objects.sched_contexts.iter().map(|context| context.processor).collect();
        assert_eq!(contexts, programs);
        assert_eq!(objects.interrupts[0].record.processor, 3);
        let (endpoints, others) = tables.homes.split_at(3);
        assert_eq!(objects.endpoint_owners, [0, 3]);
        assert_eq!(processors(endpoints), [1, 0, 0]);
        assert_eq!(processors(others), [programs, programs].concat());
        // Without printing, the monitor has no notification.
        let built = parts(SPREAD, "smp-release").build(ImageType::Binary).unwrap();
        assert_eq!(processors(&built.tables.homes), [1, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0]);
    }

    #[test]
    fn other_configurations_use_one_processor() {
        for config in ["debug", "release", "benchmark"] {
            let tables = parts(FAMILY, config).build(ImageType::Binary).unwrap().tables;
            assert_eq!((tables.processors, tables.homes.len()), (1, 0), "{config}");
        }
    }

    #[test]
    fn timeout_faults_go_to_the_fault_handler() {
        let text = r#"<system><protection_domain name="a" budget="100" period="400" timeout_fault="true">
            <program_image path="p" /></protection_domain>
            <protection_domain name="b" budget="100" period="400"><program_image path="p" /></protection_domain>
            </system>"#;
        let slots: Vec<_> = built(text).objects.threads.iter().map(|thread| thread.timeout_slot).collect();
        assert_eq!(slots, [slot::FAULT_ENDPOINT, NONE, NONE]);
    }
}
