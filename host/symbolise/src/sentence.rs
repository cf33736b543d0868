//! The sentence about a fault.
//!
//! ```text
//! parser.c:42: in parse_line (called from handle at parser.c:90): program 'parser' wrote to 0x4001000, one byte beyond
//! the end of region 'ring' (mapped read-write at 0x4000000..0x4001000)
//! ```

use std::collections::BTreeMap;

use crate::cause;
use crate::machine::Machine;
use crate::program::{Frame, ProgramFile, Registers};
use crate::record::{FaultRecord, Kind};
use crate::system::{Domain, System};
use crate::unwind;

/// The largest number of callers in a sentence.
const MOST_SHOWN: usize = 8;
/// The functions of `microkit.h` and of the crate `limen` that stop a program after an error; they write to the address of
/// the error's number.
const CRASH: [&str; 3] = ["microkit_internal_crash", "crash", "limen::report::crash"];
/// The functions of Rust's library behind every panic.
const PANIC: &str = "core::panicking::";

/// A fault with everything that the console says about it.
#[derive(Debug)]
pub struct Fault<'a> {
    /// The kernel's line.
    pub record: &'a FaultRecord,
    /// The frame pointer.
    pub frame_pointer: Option<u64>,
    /// Pointers on the stack, by address.
    pub stack: &'a BTreeMap<u64, u64>,
}

/// A function, and how it came to run: `called from` or `inlined into`.
struct Step {
    how: &'static str,
    frame: Frame,
}

/// The sentence about a fault. `program` is the file of the program, if it is known.
#[must_use]
pub fn of(system: &System, machine: &Machine, program: Option<&ProgramFile>, fault: &Fault<'_>) -> String {
    let record = fault.record;
    let FaultRecord { pc, sp, link, .. } = *record;
    let start = Registers { pc, sp, fp: fault.frame_pointer, link };
    let steps = program.map(|program| all_steps(program, machine, start, fault.stack)).unwrap_or_default();
    let left = program.and_then(|program| left_function(program, machine, start, fault.stack));
    let place = match (program, steps.split_first()) {
        (Some(_), Some(_)) if let Some(left) = left => {
            format!("{}, which ended with a jump", beginning(&left))
        }
        (_, Some(_)) => written(&steps),
        (Some(program), None) => format!("{:#x} in {}", record.pc, program.name),
        (None, None) => format!("{:#x}", record.pc),
    };
    let mut libraries =
        steps.iter().map_while(|step| step.frame.function.as_deref().filter(|_| step.frame.is_library));
    let has_panicked = libraries.clone().any(|function| function.starts_with(PANIC));
    let has_crashed = libraries.any(|function| CRASH.contains(&function));
    let subject = match system.protection_domains.get(record.program) {
        Some(domain) => {
            let cause = match record.kind {
                Kind::Vm { fetch: false, .. } if has_panicked => "panicked".to_owned(),
                Kind::Vm { address, fetch: false, .. } if has_crashed => cause::after_error(address),
                _ => cause::describe(system, machine, domain, record),
            };
            format!("program '{}' {cause}", domain.name)
        }
        None if record.program == system.protection_domains.len() => "the monitor faulted".to_owned(),
        None => format!("program {} faulted, which the report does not have", record.program),
    };
    let domain = system.protection_domains.get(record.program);
    format!("{place}: {subject}{}{}", ending(domain, record), hint(domain, program, record.pc))
}

/// The functions of a thread, as in the sentence about a fault; `None` if nothing is known about the address.
#[must_use]
pub fn place(
    program: &ProgramFile,
    machine: &Machine,
    start: Registers,
    stack: &BTreeMap<u64, u64>,
) -> Option<Position> {
    let steps = all_steps(program, machine, start, stack);
    let frames = steps.iter().map(|step| named(&step.frame)).collect();
    let is_library = steps.iter().all(|step| step.frame.is_library);
    (!steps.is_empty()).then(|| Position { words: written(&steps), frames, is_library })
}

/// The functions of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// File, line and function, with the callers in brackets.
    pub words: String,
    /// The same, a function per line, innermost first.
    pub frames: Vec<String>,
    /// Whether all functions are the library's: the program waits in its event loop.
    pub is_library: bool,
}

/// The words about the receiver of the fault.
fn ending(domain: Option<&Domain>, record: &FaultRecord) -> String {
    let parent = domain.and_then(|domain| domain.parent.as_deref());
    let receiver = match (record.to.as_str(), parent) {
        ("parent", Some(parent)) => format!("; its parent '{parent}' gets the fault"),
        ("nobody", _) => "; nobody gets the fault".to_owned(),
        _ => String::new(),
    };
    let last = if record.is_last { "; later faults of this program are not printed" } else { "" };
    receiver + last
}

/// Advice that leads to a better sentence.
fn hint(domain: Option<&Domain>, program: Option<&ProgramFile>, pc: u64) -> String {
    match (domain, program) {
        (Some(domain), None) => {
            format!(" (no readable {}; name its folder with --search-path)", domain.program)
        }
        (Some(_), Some(program)) if !program.has_symbols() => {
            format!(" ({} has no symbols; use the file before stripping)", program.name)
        }
        (Some(domain), Some(program)) if program.lacks_code() => {
            format!(
                " ({} has no code, without which callers are unknown; name the folder of {} with --search-path)",
                program.name, domain.program
            )
        }
        (Some(_), Some(program)) if program.is_compressed() => {
            format!(
                " (the debugging information of {} is compressed and cannot be read; use llvm-objcopy --decompress-debug-sections)",
                program.name
            )
        }
        (Some(_), Some(program))
            if program.is_code(pc) && program.frames(pc).iter().all(|f| f.line.is_none()) =>
        {
            format!(" ({} has no lines for this address; compile with -g)", program.name)
        }
        _ => String::new(),
    }
}

/// The functions that ran, innermost first.
fn all_steps(
    program: &ProgramFile,
    machine: &Machine,
    start: Registers,
    stack: &BTreeMap<u64, u64>,
) -> Vec<Step> {
    let callers = unwind::callers(program, machine, start, stack);
    let mut steps = steps(program, start.pc);
    // A return address is behind the call.
    steps.extend(callers.iter().flat_map(|caller| self::steps(program, caller - 1)));
    // The library's code that calls the entry points.
    if let Some(last) = steps.iter().rposition(|step| !step.frame.is_library) {
        steps.truncate(last + 1);
    }
    steps
}

/// The user's function that a library called, and that ended with a jump away from the program's code: its frame is gone,
/// and only the library's call names it.
fn left_function(
    program: &ProgramFile,
    machine: &Machine,
    start: Registers,
    stack: &BTreeMap<u64, u64>,
) -> Option<Frame> {
    let caller = *unwind::callers(program, machine, start, stack).first()?;
    let is_gone = !program.is_code(start.pc) && program.frames(caller - 1).first()?.is_library;
    let callee = is_gone.then(|| program.callee(machine, caller)).flatten()?;
    program.frames(callee).pop().filter(|frame| !frame.is_library)
}

/// The functions at an address, for messages about the kernel.
#[must_use]
pub fn frames_at(program: &ProgramFile, address: u64) -> String {
    written(&steps(program, address))
}

fn steps(program: &ProgramFile, address: u64) -> Vec<Step> {
    let frames = program.frames(address).into_iter().enumerate();
    frames
        .map(|(index, frame)| Step { how: if index == 0 { "called from" } else { "inlined into" }, frame })
        .collect()
}

/// The function that faulted, and its callers. Begins with the user's own code: of the functions of libraries that it
/// called, the outermost is named.
fn written(steps: &[Step]) -> String {
    let own = steps.iter().position(|step| !step.frame.is_library).unwrap_or(0);
    let (libraries, own) = steps.split_at(own);
    let Some((first, callers)) = own.split_first() else { return String::new() };
    let place = beginning(&first.frame);
    let by = libraries.last().filter(|step| !function(&step.frame).starts_with(PANIC));
    let by = by.map(|step| format!(", by {}", function(&step.frame))).unwrap_or_default();
    let mut listed: Vec<String> = Vec::new();
    let mut how = "";
    for group in callers.chunk_by(|a, b| a.frame == b.frame) {
        if listed.len() == MOST_SHOWN {
            listed.push("and others".to_owned());
            break;
        }
        let [Step { how: now, frame }, ..] = group else { continue };
        let verb = if *now == how { String::new() } else { format!("{now} ") };
        let times = if group.len() > 1 { format!(", {} times", group.len()) } else { String::new() };
        listed.push(format!("{verb}{}{times}", named(frame)));
        how = now;
    }
    if listed.is_empty() { place + &by } else { format!("{place}{by} ({})", listed.join(", ")) }
}

fn beginning(frame: &Frame) -> String {
    match &frame.line {
        Some((file, line)) => format!("{file}:{line}: in {}", function(frame)),
        None => format!("in {}", function(frame)),
    }
}

fn function(frame: &Frame) -> &str {
    frame.function.as_deref().unwrap_or("a function without a name")
}

fn named(frame: &Frame) -> String {
    match &frame.line {
        Some((file, line)) => format!("{} at {file}:{line}", function(frame)),
        None => function(frame).to_owned(),
    }
}
