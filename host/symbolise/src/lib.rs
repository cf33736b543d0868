//! Explains the faults on a system's console: which program did what, in which function, file and line, called from where,
//! and what the address is.
//!
//! [`Symboliser`] takes the console line by line, which [`console`] repairs if it is a log. [`record`] finds the lines about faults, [`files`] finds programs, [`system`] knows the image from
//! its JSON report, [`program`] reads ELF files, [`unwind`] finds the callers, [`place`] says what an address is, and
//! [`cause`] what the program did. Facts about instruction sets are in [`machine`].
//!
//! Consoles are damaged by serial lines and by programs that print at the same time, and reports and programs may be of
//! another build, so nothing here trusts its input: what cannot be read gives no sentence, or one that says less.

#![forbid(unsafe_code)]

pub mod cause;
pub mod console;
pub mod files;
pub mod machine;
pub mod place;
pub mod program;
pub mod record;
pub mod sentence;
pub mod system;
pub mod unwind;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

pub use console::Console;
pub use files::Places;

use files::Files;
use machine::Machine;
use program::ProgramFile;
use record::{FaultRecord, Record, StackRecord};
use system::System;

/// The largest number of words of a stack that are kept.
const MOST_WORDS: usize = 4096;
/// The lines after the first one of a kernel's stop that belong to it.
const STOP_LINES: usize = 3;

/// Reads a console and explains its faults.
#[derive(Debug)]
pub struct Symboliser {
    system: System,
    machine: &'static Machine,
    files: Files,
    waiting: BTreeMap<usize, Waiting>,
    /// Lines that may still belong to the kernel's report of its stop.
    stop_lines: usize,
}

/// A fault whose stack the monitor has yet to print.
#[derive(Debug)]
struct Waiting {
    fault: FaultRecord,
    frame_pointer: Option<u64>,
    stack: BTreeMap<u64, u64>,
}

impl Symboliser {
    /// A symboliser for the system with this JSON report.
    ///
    /// # Errors
    /// A sentence that says why the report cannot be used.
    pub fn new(report: &str, places: Places) -> Result<Self, String> {
        let system = System::parse(report)?;
        let machine = machine::named(&system.architecture).ok_or_else(|| {
            format!("the report is for the unknown instruction set '{}'", system.architecture)
        })?;
        let (files, waiting) = (Files::new(places), BTreeMap::new());
        Ok(Self { system, machine, files, waiting, stop_lines: 0 })
    }

    /// Board of the image.
    #[must_use]
    pub fn board(&self) -> &str {
        &self.system.board
    }

    /// Configuration of the image.
    #[must_use]
    pub fn config(&self) -> &str {
        &self.system.config
    }

    /// The system, as its report describes it.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Names the kernel and the monitor of the SDK that the image was built with.
    pub fn add_system_files(&mut self, kernel: Option<PathBuf>, monitor: Option<PathBuf>) {
        (self.files.places.kernel, self.files.places.monitor) = (kernel, monitor);
    }

    /// Reads the next line of the console; returns the sentences that are complete with it.
    pub fn take(&mut self, line: &str) -> Vec<String> {
        let record = record::parse(line);
        let stopped = matches!(record, Some(Record::Stop));
        if stopped {
            self.stop_lines = STOP_LINES;
        } else if self.stop_lines > 0 {
            self.stop_lines -= 1;
            return self.places_in_kernel(line);
        }
        match record {
            Some(Record::Fault(fault)) => self.take_fault(fault),
            Some(Record::Stack(stack)) => self.take_stack(stack),
            Some(Record::Stop) => self.places_in_kernel(line),
            None => Vec::new(),
        }
    }

    /// The sentences about faults that are still incomplete at the end of the console.
    pub fn finish(&mut self) -> Vec<String> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().map(|waiting| self.explain(&waiting)).collect()
    }

    fn take_fault(&mut self, fault: FaultRecord) -> Vec<String> {
        let program = fault.program;
        let is_debug = matches!(self.config(), "debug" | "smp-debug");
        let has_stack = is_debug && fault.has_handler();
        let waiting = Waiting { fault, frame_pointer: None, stack: BTreeMap::new() };
        if !has_stack {
            return vec![self.explain(&waiting)];
        }
        let earlier = self.waiting.insert(program, waiting);
        earlier.iter().map(|earlier| self.explain(earlier)).collect()
    }

    fn take_stack(&mut self, stack: StackRecord) -> Vec<String> {
        let Some(waiting) = self.waiting.get_mut(&stack.program) else { return Vec::new() };
        waiting.frame_pointer = stack.frame_pointer.or(waiting.frame_pointer);
        let room = MOST_WORDS.saturating_sub(waiting.stack.len());
        waiting.stack.extend(stack.words.into_iter().take(room));
        // A parent in another scheduling domain may have continued the program before the monitor ran.
        let has_continued = stack.pc.is_some_and(|pc| pc != waiting.fault.pc);
        if has_continued {
            waiting.frame_pointer = None;
        } else if !stack.is_last {
            return Vec::new();
        }
        let complete = self.waiting.remove(&stack.program);
        complete.iter().map(|waiting| self.explain(waiting)).collect()
    }

    fn explain(&mut self, waiting: &Waiting) -> String {
        let program = self.files.program(&self.system, waiting.fault.program);
        let fault = sentence::Fault {
            record: &waiting.fault,
            frame_pointer: waiting.frame_pointer,
            stack: &waiting.stack,
        };
        sentence::of(&self.system, self.machine, program.as_deref(), &fault)
    }

    /// The file with the symbols of a program, if it can be found and read.
    pub fn program(&mut self, index: usize) -> Option<Rc<ProgramFile>> {
        self.files.program(&self.system, index)
    }

    /// The kernel's file, if it can be found and read.
    pub fn kernel(&mut self) -> Option<Rc<ProgramFile>> {
        self.files.kernel()
    }

    /// A sentence for each address in the kernel's code that a line of its report contains.
    fn places_in_kernel(&mut self, line: &str) -> Vec<String> {
        let Some(kernel) = self.files.kernel() else { return Vec::new() };
        let addresses = record::numbers(line).filter(|address| kernel.is_code(*address));
        let place =
            |address| format!("{}: the kernel, at {address:#x}", sentence::frames_at(&kernel, address));
        addresses.map(place).collect()
    }
}
