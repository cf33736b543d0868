//! Lists the threads and objects of a stopped machine: which thread runs where, what each thread waits for, and what
//! endpoints, notifications, interrupts, scheduling contexts and static keys contain.
//!
//! [`dump`] reads the memory and registers of the machine, [`layout`] the types of the kernel from the debugging
//! information of its file, and `state` the kernel's state with both. Names come from the JSON report of the image, and
//! places in sources from [`limen_symbolise`]. `lists` writes the text.
//!
//! A dump may be damaged, and kernel and report may be of another image, so nothing here trusts its input: all reads have
//! a bound, and what does not fit is refused with a sentence.

#![forbid(unsafe_code)]

pub mod dump;
pub mod layout;
mod lists;
mod machine;
mod report;
mod state;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::rc::Rc;

use limen_symbolise::files::{Files, Places};
use limen_symbolise::program::{ProgramFile, Registers};
use limen_symbolise::sentence::{self, Position};
use limen_symbolise::system::System;

use dump::Dump;
use layout::Layout;
use machine::Machine;
use report::Report;
use state::State;

/// Bytes of a page.
const PAGE: u64 = 4096;
/// The part of a stack that is searched for callers.
const STACK_BYTES: u64 = 16 * PAGE;
/// First address of the kernel's half. Programs are below it on every instruction set.
const KERNEL_HALF: u64 = 1 << 63;

/// A list of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Each thread with its state, its place, and what it waits for.
    Threads,
    /// Endpoints, notifications, interrupts, scheduling contexts and reply objects.
    Objects,
    /// Static keys with their holders.
    Keys,
    /// Each thread with all its callers.
    Backtrace,
    /// The physical memory that a dump must contain: first address and bytes.
    Range,
}

impl View {
    /// Every view.
    pub const ALL: [Self; 5] = [Self::Threads, Self::Objects, Self::Keys, Self::Backtrace, Self::Range];
    /// The name of each on the command line.
    pub const NAMES: [&'static str; 5] = ["threads", "objects", "keys", "backtrace", "range"];

    /// The view with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().zip(Self::ALL).find(|(known, _)| **known == name).map(|(_, view)| view)
    }
}

/// Whether a machine can do anything but wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A thread can run, or an interrupt can wake one.
    Possible,
    /// Every thread is stopped or waits for another one, and no interrupt can wake one.
    Impossible,
}

/// A stopped machine.
pub struct Inspector {
    system: System,
    report: Report,
    machine: &'static Machine,
    words: &'static limen_symbolise::machine::Machine,
    state: State,
    dump: Dump,
    files: Files,
    /// Names of endpoints, keys and interrupts that some program has a capability for, by kind and number.
    names: HashMap<(&'static str, usize), String>,
}

impl fmt::Debug for Inspector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inspector").field("state", &self.state).finish_non_exhaustive()
    }
}

/// The physical memory that a dump of the system with this report must contain: first address and bytes.
///
/// # Errors
/// A sentence: the report cannot be used.
pub fn needed_memory(report: &str) -> Result<(u64, u64), String> {
    Report::parse(report)?.memory().ok_or_else(|| "the report has no memory".to_owned())
}

impl Inspector {
    /// Reads the state of a stopped machine from the JSON report of its image, the file of its kernel, and its memory.
    ///
    /// # Errors
    /// A sentence that says which of them cannot be used, or does not fit the others.
    pub fn new(report: &str, places: Places, dump: Dump) -> Result<Self, String> {
        let layout = kernel(places.kernel.as_deref())?;
        Self::with_kernel(&layout, report, places, dump)
    }

    /// As [`Self::new`], with a kernel file that was read before.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_kernel(layout: &Layout, report: &str, places: Places, dump: Dump) -> Result<Self, String> {
        let system = System::parse(report)?;
        let report = Report::parse(report)?;
        let name = &system.architecture;
        let (machine, words) = machine::named(name)
            .zip(limen_symbolise::machine::named(name))
            .ok_or_else(|| format!("the report is for the unknown instruction set '{name}'"))?;
        if dump.architecture != name {
            return Err(format!("the dump is of {}, but the report is for {name}", dump.architecture));
        }
        let listed = report.kernel_segments();
        let segments = if listed.is_empty() { layout.segments().to_vec() } else { listed };
        let kernel = KernelMemory { segments, dump: &dump };
        check_kernel(layout, &kernel)?;
        let (address, bytes) = layout.place();
        let memory = kernel.read(address, bytes)?;
        let threads = system.protection_domains.len() + 1;
        let state = State::read(layout, &memory, machine, threads)?;
        let tables = Tables { layout, report: &report, kernel: &kernel, memory: &memory };
        let names = tables.names()?;
        Ok(Self { system, report, machine, words, state, dump, files: Files::new(places), names })
    }

    /// The text of a view.
    pub fn show(&mut self, view: View) -> String {
        match view {
            View::Threads => self.threads(),
            View::Objects => self.objects(),
            View::Keys => self.keys(),
            View::Backtrace => self.backtraces(),
            // Needs no dump.
            View::Range => String::new(),
        }
    }

    /// The registers of a thread: the processor's if it runs a program.
    fn registers(&self, thread: usize) -> Registers {
        let saved = self.state.threads[thread].registers;
        let running = self.dump.registers.filter(|registers| registers.pc < KERNEL_HALF);
        running.filter(|_| self.state.current == Some(thread)).unwrap_or(saved)
    }

    /// The place of a thread, if its program can be found.
    fn position(&mut self, thread: usize) -> Option<Position> {
        let program = self.files.program(&self.system, thread)?;
        let registers = self.registers(thread);
        sentence::place(&program, self.words, registers, &self.stack(thread, registers.sp))
    }

    fn program(&mut self, thread: usize) -> Option<Rc<ProgramFile>> {
        self.files.program(&self.system, thread)
    }

    /// The words of a stack, from the stack pointer up to its end, or up to memory that is not mapped.
    fn stack(&self, thread: usize, sp: u64) -> BTreeMap<u64, u64> {
        let domain = self.system.protection_domains.get(thread);
        let own = domain.map(|domain| domain.stack_start.0..domain.stack_end.0);
        let limit = sp.saturating_add(STACK_BYTES);
        let end = own.filter(|stack| stack.contains(&sp)).map_or(limit, |stack| stack.end.min(limit));
        let mut words = BTreeMap::new();
        let mut address = sp.checked_next_multiple_of(8).unwrap_or(end).min(end);
        while address < end {
            let page_end = (address & !(PAGE - 1)).saturating_add(PAGE).min(end);
            let memory = self.machine.translate(&self.dump, self.state.threads[thread].root, address);
            let Some(memory) = memory.and_then(|place| self.dump.read(place, page_end - address)) else {
                break;
            };
            let (pages, _) = memory.as_chunks();
            words.extend((address..).step_by(8).zip(pages.iter().map(|word| u64::from_le_bytes(*word))));
            address = page_end;
        }
        words
    }

    /// Name of a protection domain, or `monitor`.
    fn name(&self, thread: usize) -> &str {
        self.system.protection_domains.get(thread).map_or("monitor", |domain| &domain.name)
    }

    /// Name of an endpoint, key or interrupt.
    fn object(&self, kind: &'static str, number: usize) -> Option<&str> {
        self.names.get(&(kind, number)).map(String::as_str)
    }
}

fn kernel(path: Option<&Path>) -> Result<Layout, String> {
    let path = path.ok_or("no kernel: use the tool of an SDK, or name a kernel with --override-kernel")?;
    let unreadable = |reason: String| format!("{}: {reason}", path.display());
    let facts = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !facts.is_file() || facts.len() > limen_symbolise::files::MOST_BYTES {
        return Err(unreadable("it is no kernel".to_owned()));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    Layout::parse(&bytes).map_err(unreadable)
}

/// The memory of the kernel's image.
struct KernelMemory<'a> {
    /// Address, physical address and bytes of each part.
    segments: Vec<(u64, u64, u64)>,
    dump: &'a Dump,
}

impl KernelMemory<'_> {
    fn read(&self, address: u64, bytes: u64) -> Result<Vec<u8>, String> {
        let place = self.segments.iter().find_map(|(start, place, length)| {
            let offset = address.checked_sub(*start)?;
            if offset.checked_add(bytes)? <= *length { place.checked_add(offset) } else { None }
        });
        let place = place.ok_or_else(|| {
            format!("the kernel has nothing at {address:#x}; report, SDK and dump must be those of one image")
        })?;
        self.dump.read(place, bytes).ok_or_else(|| {
            format!(
                "the dump does not contain the kernel's memory from {place:#x} on; microkit inspect range prints what \
                 it must contain"
            )
        })
    }
}

/// Compares the kernel's constants in memory with those of its file.
fn check_kernel(layout: &Layout, kernel: &KernelMemory<'_>) -> Result<(), String> {
    for (address, expected) in layout.constants() {
        if kernel.read(*address, expected.len() as u64)? != *expected {
            return Err(
                "the kernel in the dump is of another build than the kernel file, or has not started; the \
                        SDK must be that of the image"
                    .to_owned(),
            );
        }
    }
    Ok(())
}

/// The capability tables, in the kernel's memory and in the report.
struct Tables<'a> {
    layout: &'a Layout,
    report: &'a Report,
    kernel: &'a KernelMemory<'a>,
    memory: &'a [u8],
}

impl Tables<'_> {
    /// Names of objects by kind and number. The tables never change after boot, so they also show whether the report is
    /// that of the image.
    fn names(&self) -> Result<HashMap<(&'static str, usize), String>, String> {
        let kernel = self.layout.state(self.memory)?;
        let number = kernel.number("processor.number")?;
        let mut names = HashMap::new();
        let (threads, homes) = (kernel.field("threads")?.items(), kernel.field("homes")?.items());
        let threads = threads.iter().zip(homes).zip(&self.report.capability_tables);
        // Only its own processor's kernel knows the table of a thread.
        let own = threads.filter(|((_, home), _)| home.as_number() == number);
        for ((thread, _), table) in own {
            let caps = thread.field("caps")?;
            let (address, target) =
                caps.target().ok_or("the kernel file has no type of capability tables")?;
            let bytes = self.kernel.read(address, target.bytes())?;
            let slots = target.value(&bytes).field("slots")?.items();
            for listed in &table.slots {
                let Some(kind) = report::variant(&listed.kind) else { continue };
                let slot = usize::try_from(listed.slot).ok().and_then(|slot| slots.get(slot));
                // Root slots are in another table.
                let Some(slot) = slot else { continue };
                // An object of another processor, or a key of several, is named by a capability of a kind of its own.
                let cap = slot.variant().filter(|(name, _)| *name == kind || *name == report::ELSEWHERE);
                let (stored, cap) = cap.ok_or_else(|| {
                    format!(
                        "the report is of another image than the dump: '{}' has no {} in slot {}",
                        table.owner, listed.kind, listed.slot
                    )
                })?;
                let items = match kind {
                    "Endpoint" => "endpoints",
                    "Key" => "keys",
                    "Interrupt" => "irqs",
                    _ => continue,
                };
                let count = kernel.field(items)?.items().len().max(1) as u64;
                let number = usize::try_from(report::object(stored, &cap)? % count).unwrap_or(0);
                let name = match kind {
                    "Interrupt" => format!("{} of '{}'", listed.object, table.owner),
                    _ => listed.object.clone(),
                };
                names.insert((kind, number), name);
            }
        }
        Ok(names)
    }
}
