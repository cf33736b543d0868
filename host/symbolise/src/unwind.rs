//! The callers of the function that faulted.
//!
//! Each caller is found by the first of these that works: the compiler's rules for the address (`.debug_frame`, which `-g`
//! produces, or `.eh_frame`); the link register of the function that faulted; frame pointers; the next word on the stack
//! that is the address behind a call instruction. So programs need no special flags.

use std::collections::BTreeMap;

use crate::machine::Machine;
use crate::program::{ProgramFile, Registers};

/// The largest number of callers. A stack that overflowed is full of them.
const MOST_CALLERS: usize = 64;

/// The return addresses of the callers, innermost first.
#[must_use]
pub fn callers(
    program: &ProgramFile,
    machine: &Machine,
    start: Registers,
    stack: &BTreeMap<u64, u64>,
) -> Vec<u64> {
    let unwinder = Unwinder { program, machine, stack };
    let mut callers = Vec::new();
    let mut registers = start;
    while callers.len() < MOST_CALLERS {
        let Some(caller) = unwinder.step(&registers, callers.is_empty()) else { break };
        callers.push(caller.pc);
        registers = caller;
    }
    callers
}

struct Unwinder<'a> {
    program: &'a ProgramFile,
    machine: &'a Machine,
    stack: &'a BTreeMap<u64, u64>,
}

impl Unwinder<'_> {
    fn step(&self, registers: &Registers, is_first: bool) -> Option<Registers> {
        let by_rules = || self.by_rules(registers, is_first);
        let by_link = || self.by_link(registers, is_first);
        let by_frame_pointer = || self.by_frame_pointer(registers);
        let found =
            by_rules().or_else(by_link).or_else(by_frame_pointer).or_else(|| self.by_scan(registers))?;
        let is_progress = found.sp > registers.sp || (is_first && found.sp == registers.sp);
        is_progress.then_some(found)
    }

    fn checked(&self, registers: Registers) -> Option<Registers> {
        self.program.is_return_address(self.machine, registers.pc).then_some(registers)
    }

    fn by_rules(&self, registers: &Registers, is_first: bool) -> Option<Registers> {
        // A return address may lie behind the end of a function that calls one that never returns.
        let address = registers.pc.checked_sub(u64::from(!is_first))?;
        let read = |address| self.stack.get(&address).copied();
        self.checked(self.program.caller(self.machine, registers, address, &read)?)
    }

    /// A function that faults before it has a frame, or that is no function: a jump to a wrong address.
    fn by_link(&self, registers: &Registers, is_first: bool) -> Option<Registers> {
        let &Registers { sp, fp, link, .. } = registers;
        let is_nowhere = !self.program.is_code(registers.pc);
        if !is_first {
            return None;
        }
        if self.machine.calls_push {
            let pc = is_nowhere.then(|| self.stack.get(&sp).copied())??;
            return self.checked(Registers { pc, sp: sp.checked_add(8)?, fp, link: None });
        }
        self.checked(Registers { pc: link?, sp, fp, link: None })
    }

    fn by_frame_pointer(&self, registers: &Registers) -> Option<Registers> {
        let fp = registers.fp?;
        let record = self.machine.frame_record;
        let word = |offset| self.stack.get(&fp.checked_add_signed(offset)?).copied();
        let pc = word(record.return_address)?;
        let sp = fp.checked_add_signed(record.caller_sp)?;
        self.checked(Registers { pc, sp, fp: word(record.saved_fp), link: None })
    }

    fn by_scan(&self, registers: &Registers) -> Option<Registers> {
        let mut words = self.stack.range(registers.sp..);
        words.find_map(|(address, word)| {
            let (pc, sp) = (*word, address.checked_add(8)?);
            self.checked(Registers { pc, sp, fp: registers.fp, link: None })
        })
    }
}
