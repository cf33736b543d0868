//! Events that no mask holds back, raised at an instruction of the kernel: each must lead to the kernel's report.
//!
//! The machine runs until the report begins, which has the exception, its place and a stack. Then the debugger undoes the
//! event, because a machine that has reported stops, and the round continues: what the program checks afterwards shows
//! that nothing was lost.

use serde::Deserialize;

use crate::check::symbols::Symbols;
use crate::failure::{Failure, Outcome};
use crate::test::debugger::Debugger;

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// A non-maskable interrupt.
    Nmi,
    /// An uncorrected hardware error.
    MachineCheck,
    /// A debug exception after the instruction, from the trap flag.
    SingleStep,
    /// A breakpoint instruction instead of the instruction.
    Breakpoint,
}

/// The differences between architectures.
struct Architecture {
    /// The label that all fatal exceptions reach.
    fatal: &'static str,
    /// Part of the name of the function that reports them.
    report: &'static str,
    /// The general registers, by the debugger's numbers.
    general: &'static [usize],
    stack: usize,
    counter: usize,
    breakpoint: &'static [u8],
    /// System registers that an exception changes, first the one with its place: the instructions that read each of them
    /// into one of the registers `through`, and those that write it back.
    read: &'static [u32],
    write: &'static [u32],
    through: &'static [usize],
}

/// Numbers of registers of x86_64.
mod x86_64 {
    pub(super) const RAX: usize = 0;
    pub(super) const RCX: usize = 2;
    pub(super) const RDX: usize = 3;
    pub(super) const RDI: usize = 5;
    pub(super) const FLAGS: usize = 17;
    pub(super) const TRAP_FLAG: u64 = 1 << 8;
    pub(super) const DIRECTION_FLAG: u64 = 1 << 10;
    /// Clears, with `wrmsr`, the note that a machine check is being handled.
    pub(super) const MCG_STATUS: u64 = 0x17a;
    pub(super) const WRMSR: &[u8] = &[0x0f, 0x30];
    /// Also unmasks NMIs.
    pub(super) const IRETQ: &[u8] = &[0x48, 0xcf];
    pub(super) const SYSRETQ: &[u8] = &[0x48, 0x0f, 0x07];
}
/// An exception return of AArch64.
const ERET: &[u8] = &[0xe0, 0x03, 0x9f, 0xd6];

const X86_64: Architecture = Architecture {
    fatal: "trap_fatal_plain",
    report: "panic_in_kernel",
    general: &[0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15],
    stack: 7,
    counter: 16,
    breakpoint: &[0xcc],
    read: &[],
    write: &[],
    through: &[],
};

/// Through x0 to x2: ELR_EL1, SPSR_EL1, ESR_EL1.
const AARCH64: Architecture = Architecture {
    fatal: "trap_from_kernel",
    report: "exception_in_kernel",
    general: &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
        28, 29, 30,
    ],
    stack: 31,
    counter: 32,
    breakpoint: &[0x00, 0x00, 0x20, 0xd4],
    read: &[0xd538_4020, 0xd538_4001, 0xd538_5202],
    write: &[0xd518_4020, 0xd518_4001, 0xd518_5202],
    through: &[0, 1, 2],
};

/// Through a0 to a4: sepc, sscratch, scause, stval, sstatus.
const RISCV64: Architecture = Architecture {
    fatal: "trap_from_kernel",
    report: "exception_in_kernel",
    general: &[
        1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
        29, 30, 31,
    ],
    stack: 2,
    counter: 32,
    breakpoint: &[0x73, 0x00, 0x10, 0x00],
    read: &[0x1410_2573, 0x1400_25f3, 0x1420_2673, 0x1430_26f3, 0x1000_2773],
    write: &[0x1415_1073, 0x1405_9073, 0x1426_1073, 0x1436_9073, 0x1007_1073],
    through: &[10, 11, 12, 13, 14],
};
/// The position of sscratch among the system registers.
const SSCRATCH: usize = 1;

/// Bytes of memory around a stack pointer that an exception may change: a frame below, a context above.
const FRAME_BYTES: u64 = 128;
const CONTEXT_BYTES: u64 = 288;
/// Bytes per access.
const WORD_BYTES: u64 = 8;

/// The vectors of x86_64, and the words of a frame.
const VECTOR: u64 = 0;
const PC: u64 = 16;

/// A machine at an instruction.
struct State {
    general: Vec<u64>,
    stack: u64,
    system: Vec<u64>,
    memory: Vec<(u64, u64)>,
}

/// Raises events in one kernel.
pub(super) struct Raiser {
    architecture: &'static Architecture,
    fatal: u64,
    report: u64,
    stack_top: u64,
    /// Symbols of assembly, and of everything else, by address.
    symbols: Vec<(u64, bool)>,
}

impl Raiser {
    /// # Errors
    /// When the kernel lacks a symbol.
    pub(super) fn of(kernel: &Symbols, architecture: &str) -> Outcome<Self> {
        let architecture = match architecture {
            "x86_64" => &X86_64,
            "aarch64" => &AARCH64,
            _ => &RISCV64,
        };
        let report = kernel.values().find(|(name, _)| name.contains(architecture.report));
        let (_, report) =
            report.ok_or_else(|| Failure::new(format!("there is no function '{}'", architecture.report)))?;
        let is_compiled = |name: &str| name.starts_with("_ZN") || name.starts_with("_R");
        let mut symbols: Vec<_> = kernel.values().map(|(name, value)| (value, !is_compiled(name))).collect();
        symbols.sort_unstable();
        let (fatal, stack_top) = (kernel.address(architecture.fatal)?, kernel.address("kernel_stack_top")?);
        Ok(Self { architecture, fatal, report, stack_top, symbols })
    }

    /// Whether this instruction is in the kernel's assembly: entry, exit, and a few routines.
    pub(super) fn is_assembly(&self, place: u64) -> bool {
        let after = self.symbols.partition_point(|(start, _)| *start <= place);
        after.checked_sub(1).is_some_and(|index| self.symbols[index].1)
    }

    /// Raises an event in a machine that is at `place`, and undoes it at the report. Returns what was wrong.
    ///
    /// # Errors
    /// When the kernel does not reach its report.
    pub(super) fn try_event(
        &self,
        event: Event,
        place: u64,
        machine: &mut Debugger,
    ) -> Outcome<Option<String>> {
        let before = self.state(machine)?;
        let flags = self.is_x86().then(|| machine.register(x86_64::FLAGS)).transpose()?;
        match event {
            Event::Nmi => machine.monitor("nmi")?,
            Event::MachineCheck => machine.monitor("mce 0 9 0xbe00000000000000 5 0 0")?,
            Event::SingleStep => {
                machine.set_register(x86_64::FLAGS, flags.unwrap_or_default() | x86_64::TRAP_FLAG, 4)?;
            }
            // The path to the report may lead through the place.
            Event::Breakpoint => execute_one(machine, place, self.architecture.breakpoint)?,
        }
        self.run_to(self.fatal, machine)?;
        let at_fatal = self.state(machine)?;
        let mut complaint = None;
        if let Some(&pc) = at_fatal.system.first()
            && pc != place
        {
            complaint = Some(format!("the report names {pc:#x}"));
        }
        self.run_to(self.report, machine)?;
        let stack = machine.register(self.architecture.stack)?;
        if !(self.stack_top - 0x1000..self.stack_top).contains(&stack) {
            complaint = Some(format!("the report's stack is at {stack:#x}"));
        }
        if self.is_x86() {
            let (frame, vector) = (machine.register(x86_64::RDI)?, vector(event));
            let found = read(machine, frame + VECTOR)?;
            let pc = read(machine, frame + PC)?;
            let expected = if event == Event::Breakpoint { place + 1 } else { place };
            if found != vector || (pc != expected && event != Event::SingleStep) {
                complaint = Some(format!("the report names vector {found} at {pc:#x}"));
            }
            if machine.register(x86_64::FLAGS)? & x86_64::DIRECTION_FLAG != 0 {
                complaint = Some("the report runs with the direction flag".to_owned());
            }
            self.undo_x86(event, place, &before, &at_fatal, frame, machine)?;
        } else {
            self.undo(&before, &at_fatal, place, machine)?;
        }
        Ok(complaint)
    }

    /// Whether the event at `place`, where the machine is, is the program's: a step that leaves the kernel.
    ///
    /// # Errors
    /// When nothing is mapped there.
    pub(super) fn is_programs(event: Event, place: u64, machine: &mut Debugger) -> Outcome<bool> {
        let code = read(machine, place)?.to_le_bytes();
        Ok(event == Event::SingleStep
            && [x86_64::IRETQ, x86_64::SYSRETQ].iter().any(|instruction| code.starts_with(instruction)))
    }

    fn is_x86(&self) -> bool {
        self.architecture.fatal == X86_64.fatal
    }

    /// The value of sscratch on RISC-V, zero elsewhere.
    fn scratch(&self, system: &[u64]) -> u64 {
        let is_riscv = self.architecture.stack == RISCV64.stack;
        system.get(SSCRATCH).copied().filter(|_| is_riscv).unwrap_or_default()
    }

    fn run_to(&self, address: u64, machine: &mut Debugger) -> Outcome {
        machine.stop_at(address)?;
        let stopped_at = machine.run()?;
        machine.pass(address)?;
        if stopped_at == address {
            return Ok(());
        }
        Err(Failure::new(format!("the kernel is at {stopped_at:#x} instead of its report at {address:#x}")))
    }

    fn state(&self, machine: &mut Debugger) -> Outcome<State> {
        let Architecture { general, stack, counter, read: instructions, through, .. } = self.architecture;
        let general = general.iter().map(|number| machine.register(*number)).collect::<Outcome<Vec<_>>>()?;
        let stack = machine.register(*stack)?;
        let mut state = State { general, stack, system: Vec::new(), memory: Vec::new() };
        if !through.is_empty() {
            let place = machine.register(*counter)?;
            self.execute(instructions, place, machine)?;
            state.system =
                through.iter().map(|number| machine.register(*number)).collect::<Outcome<Vec<_>>>()?;
            for number in *through {
                let index = self.architecture.general.iter().position(|general| general == number);
                machine.set_register(*number, state.general[index.unwrap_or_default()], WORD_BYTES)?;
            }
            machine.set_register(*counter, place, WORD_BYTES)?;
        }
        let scratch = self.scratch(&state.system);
        for (start, below, above) in [
            (stack, FRAME_BYTES, CONTEXT_BYTES),
            (scratch, 0, CONTEXT_BYTES),
            (self.stack_top, FRAME_BYTES, 0),
        ] {
            let start = start & !(WORD_BYTES - 1);
            for address in (start.wrapping_sub(below)..start.wrapping_add(above)).step_by(WORD_BYTES as usize)
            {
                let word = machine.word(address)?;
                state.memory.extend(word.map(|word| (address, word)));
            }
        }
        Ok(state)
    }

    /// Executes instructions in place of those at `place`, where the machine is.
    fn execute(&self, instructions: &[u32], place: u64, machine: &mut Debugger) -> Outcome {
        instructions.iter().try_for_each(|instruction| {
            machine.set_register(self.architecture.counter, place, WORD_BYTES)?;
            execute_one(machine, place, &instruction.to_le_bytes())
        })
    }

    /// Goes back to the place: AArch64 by an exception return, which selects the stack pointer of the place.
    fn undo(&self, before: &State, at_fatal: &State, place: u64, machine: &mut Debugger) -> Outcome {
        let Architecture { general, stack, counter, write, through, .. } = self.architecture;
        if self.architecture.stack == AARCH64.stack {
            machine.set_register(*stack, at_fatal.stack, WORD_BYTES)?;
            execute_one(machine, self.report, ERET)?;
        }
        for (number, value) in through.iter().zip(&before.system) {
            machine.set_register(*number, *value, WORD_BYTES)?;
        }
        let position = machine.register(*counter)?;
        self.execute(write, position, machine)?;
        for (number, value) in general.iter().zip(&before.general) {
            machine.set_register(*number, *value, WORD_BYTES)?;
        }
        machine.set_register(*stack, before.stack, WORD_BYTES)?;
        machine.set_register(*counter, place, WORD_BYTES)?;
        before.memory.iter().try_for_each(|(address, word)| machine.set_word(*address, *word))
    }

    /// Goes back to the place or, after a single step, to the next one.
    fn undo_x86(
        &self,
        event: Event,
        place: u64,
        before: &State,
        at_fatal: &State,
        frame: u64,
        machine: &mut Debugger,
    ) -> Outcome {
        let Architecture { general, stack, counter, .. } = self.architecture;
        let flags = read(machine, frame + PC + 16)? & !x86_64::TRAP_FLAG;
        let (rip, rsp) = match event {
            Event::SingleStep => (read(machine, frame + PC)?, read(machine, frame + PC + 24)?),
            _ => (place, before.stack),
        };
        match event {
            Event::MachineCheck => {
                for (number, value) in [(x86_64::RCX, x86_64::MCG_STATUS), (x86_64::RAX, 0), (x86_64::RDX, 0)]
                {
                    machine.set_register(number, value, WORD_BYTES)?;
                }
                execute_one(machine, self.report, x86_64::WRMSR)?;
            }
            Event::Nmi => {
                machine.set_register(*stack, frame + PC, WORD_BYTES)?;
                execute_one(machine, self.report, x86_64::IRETQ)?;
            }
            Event::Breakpoint => {
                before.memory.iter().try_for_each(|(address, word)| machine.set_word(*address, *word))?;
            }
            Event::SingleStep => {}
        }
        for (number, value) in general.iter().zip(&at_fatal.general) {
            machine.set_register(*number, *value, WORD_BYTES)?;
        }
        machine.set_register(x86_64::FLAGS, flags, 4)?;
        machine.set_register(*stack, rsp, WORD_BYTES)?;
        machine.set_register(*counter, rip, WORD_BYTES)
    }
}

fn vector(event: Event) -> u64 {
    match event {
        Event::SingleStep => 1,
        Event::Nmi => 2,
        Event::Breakpoint => 3,
        Event::MachineCheck => 18,
    }
}

/// Executes an instruction in place of the one at `place`, where the machine is.
fn execute_one(machine: &mut Debugger, place: u64, instruction: &[u8]) -> Outcome {
    let code = read(machine, place)?;
    write_code(machine, place, instruction)?;
    machine.step()?;
    machine.set_word(place, code)
}

fn write_code(machine: &mut Debugger, place: u64, instruction: &[u8]) -> Outcome {
    let mut bytes = read(machine, place)?.to_le_bytes();
    bytes[..instruction.len()].copy_from_slice(instruction);
    machine.set_word(place, u64::from_le_bytes(bytes))
}

fn read(machine: &mut Debugger, address: u64) -> Outcome<u64> {
    let word = machine.word(address)?;
    word.ok_or_else(|| Failure::new(format!("nothing is mapped at {address:#x}")))
}
