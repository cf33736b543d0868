//! The tables that the processor reads: segments, task state and interrupt descriptors.
//!
//! The processor needs segments to tell user mode from kernel mode; they have no other use. Source: Intel SDM, volume
//! 3, sections 3.4.5, 6.14 and 8.7.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::mem::offset_of;

use super::entry_area::STACKS;

const NO_SEGMENT: u16 = 0;
/// Selector of the kernel's code.
pub const KERNEL_CODE: u16 = 0x08;
/// Selector of the kernel's data.
pub const KERNEL_DATA: u16 = 0x10;
/// The base selector of `sysret`: data follows, then code.
pub const SYSRET_BASE: u16 = 0x18 | 3;
/// Selector of programs' data.
pub const USER_DATA: u16 = 0x20 | 3;
/// Selector of programs' code.
pub const USER_CODE: u16 = 0x28 | 3;
const TASK_STATE: u16 = 0x30;

const CODE_DESCRIPTOR: u64 = 0x00af_9b00_0000_ffff;
const DATA_DESCRIPTOR: u64 = 0x00cf_9300_0000_ffff;
/// Descriptor privilege level 3.
const USER_LEVEL: u64 = 3 << 45;
/// A 64-bit task state segment that is not busy.
const TASK_STATE_DESCRIPTOR: u64 = 0x89 << 40;

/// Traps at any time, which need their own stack: debug exception, NMI, double fault, machine check.
const ANY_TIME: [usize; 4] = [1, 2, 8, 18];
/// The breakpoint, which programs may raise with an instruction.
const BREAKPOINT: usize = 3;

/// Entries of the interrupt descriptor table.
const VECTORS: usize = 256;
/// Vectors below are exceptions.
pub const FIRST_INTERRUPT: usize = 32;
/// Bytes between the entry points of two exceptions.
pub const EXCEPTION_STUB_BYTES: usize = 10;
/// Bytes between the entry points of two interrupts, which follow those of exceptions.
pub const INTERRUPT_STUB_BYTES: usize = 7;

/// A present gate that masks interrupts.
const INTERRUPT_GATE: u64 = 0x8e << 40;
/// User mode may use the gate with an instruction.
const GATE_FOR_USER: u64 = 3 << 45;

/// A static that the processor reads and `init` writes.
#[repr(transparent)]
pub struct Shared<T>(UnsafeCell<T>);

// SAFETY: `init` writes it before the processor uses it. Afterwards only the processor, the trap code (assembly) and
// `set_entered`, whose value the trap code reads later, write it.
unsafe impl<T> Sync for Shared<T> {}

/// The 64-bit task state segment.
#[repr(C, packed(4))]
pub struct TaskState {
    reserved: u32,
    /// The stack for traps from user mode.
    stack: u64,
    unused: [u64; 3],
    emergency_stack: u64,
    other_stacks: [u64; 6],
    reserved_too: u64,
    reserved_three: u16,
    io_map: u16,
}

impl TaskState {
    const EMPTY: Self = Self {
        reserved: 0,
        stack: 0,
        unused: [0; 3],
        emergency_stack: 0,
        other_stacks: [0; 6],
        reserved_too: 0,
        reserved_three: 0,
        // Beyond the segment's limit: programs may use no port.
        io_map: size_of::<Self>() as u16,
    };
}

/// Offset of the stack for traps from user mode.
pub const STACK: usize = offset_of!(TaskState, stack);
/// Bytes of the table of segments.
pub const GDT_BYTES: usize = size_of::<[u64; 8]>();
/// Offset of the table of segments in [`TABLES`].
pub const GDT: usize = offset_of!(Tables, segments);

/// The tables that must be mapped whichever thread runs, on pages of their own: see `entry_area`. The processor does
/// not write to them, because the descriptors have their accessed bit set from the start.
#[repr(C, align(4096))]
pub struct Tables {
    traps: [[u64; 2]; VECTORS],
    segments: [u64; 8],
    task: TaskState,
}

/// The tables of this processor.
#[unsafe(link_section = ".data.private")]
pub static TABLES: Shared<Tables> = Shared(UnsafeCell::new(Tables {
    traps: [[0; 2]; VECTORS],
    segments: [
        0,
        CODE_DESCRIPTOR,
        DATA_DESCRIPTOR,
        0,
        DATA_DESCRIPTOR | USER_LEVEL,
        CODE_DESCRIPTOR | USER_LEVEL,
        0,
        0,
    ],
    task: TaskState::EMPTY,
}));

/// The task state whose stack is the end of the running thread's context. The processor uses it unless page tables are
/// switched.
#[unsafe(link_section = ".data.private")]
pub static TASK: Shared<TaskState> = Shared(UnsafeCell::new(TaskState::EMPTY));

/// Address and size of a table, in the form that the processor loads.
#[repr(C, packed)]
struct TablePointer {
    limit: u16,
    base: u64,
}

impl TablePointer {
    fn to<T>(table: *const T) -> Self {
        Self { limit: (size_of::<T>() - 1) as u16, base: table.addr() as u64 }
    }
}

/// How traps enter and leave the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The processor pushes into the running thread's context.
    Plain,
    /// The processor pushes on the stack of the entry area.
    Switched,
}

/// Completes the tables and loads them. `stubs` is the entry point of vector 0.
pub fn init(way: Way, stubs: usize) {
    let tables = TABLES.0.get();
    // SAFETY: called at boot with interrupts off, while no other reference to the tables exists. The descriptors name a
    // task state and stubs that never move.
    unsafe {
        (*TASK.0.get()).emergency_stack = STACKS.emergency_end();
        (*tables).task.emergency_stack = STACKS.emergency_end();
        (*tables).task.stack = STACKS.entry_end();
        let task = match way {
            Way::Plain => TASK.0.get(),
            Way::Switched => &raw mut (*tables).task,
        };
        let [low, high] = task_state_descriptor(task.addr() as u64);
        let segments = &mut (*tables).segments;
        (segments[TASK_STATE as usize / 8], segments[TASK_STATE as usize / 8 + 1]) = (low, high);
        for (vector, entry) in (*tables).traps.iter_mut().enumerate() {
            *entry = gate(vector, (stubs + stub_offset(vector)) as u64, ANY_TIME.contains(&vector));
        }
        let segments = TablePointer::to(&raw const (*tables).segments);
        let traps = TablePointer::to(&raw const (*tables).traps);
        asm!("lgdt [{}]", in(reg) &segments, options(nostack, preserves_flags));
        asm!("lidt [{}]", in(reg) &traps, options(nostack, preserves_flags));
        asm!("ltr {:x}", in(reg) TASK_STATE, options(nostack, preserves_flags));
        // After reset the local descriptor table is at address zero, which is user memory: its gates would lead
        // programs into the kernel. Source: Intel SDM, volume 3, table 9-1.
        asm!("lldt {:x}", in(reg) NO_SEGMENT, options(nostack, preserves_flags));
    }
}

/// Lets breakpoints come at any time, through an entry point of their own: while code is written that other processors
/// execute, they come at any branch on a key.
pub fn share_breakpoints(entry: usize) {
    // SAFETY: called at boot with interrupts off. The processor reads the gate at the next breakpoint, and boot has none.
    unsafe { (*TABLES.0.get()).traps[BREAKPOINT] = gate(BREAKPOINT, entry as u64, true) }
}

/// Sets the end of the context to which the trap code saves the remaining registers.
pub fn set_entered(end: u64) {
    // SAFETY: the trap code reads it at the return and replaces it with the next thread's.
    unsafe { (*TASK.0.get()).stack = end }
}

/// The offset of a vector's entry point from that of vector 0.
pub const fn stub_offset(vector: usize) -> usize {
    let exceptions = if vector < FIRST_INTERRUPT { vector } else { FIRST_INTERRUPT };
    exceptions * EXCEPTION_STUB_BYTES + (vector - exceptions) * INTERRUPT_STUB_BYTES
}

fn task_state_descriptor(base: u64) -> [u64; 2] {
    let limit = size_of::<TaskState>() as u64 - 1;
    let low = limit | (base & 0xff_ffff) << 16 | TASK_STATE_DESCRIPTOR | (base >> 24 & 0xff) << 56;
    [low, base >> 32]
}

fn gate(vector: usize, target: u64, is_any_time: bool) -> [u64; 2] {
    let user = if vector == BREAKPOINT { GATE_FOR_USER } else { 0 };
    let stack = u64::from(is_any_time) << 32;
    let low = target & 0xffff | u64::from(KERNEL_CODE) << 16 | stack | INTERRUPT_GATE | user;
    [low | (target >> 16 & 0xffff) << 48, target >> 32]
}
