//! The tables that the processor reads by itself: segments, the task state, and where traps go.
//!
//! Segments exist only because the processor insists: they tell user from kernel mode. Source: Intel SDM, volume 3,
//! sections 3.4.5, 6.14 and 8.7.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::mem::offset_of;

use super::entry_area::STACKS;

const NO_SEGMENT: u16 = 0;
/// Selector of the kernel's code.
pub const KERNEL_CODE: u16 = 0x08;
/// Selector of the kernel's data.
pub const KERNEL_DATA: u16 = 0x10;
/// What `sysret` counts from: data comes next, then code.
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

/// Traps that may come at any time, so that they need a stack of their own: NMI, double fault, machine check.
const ANY_TIME: [usize; 3] = [2, 8, 18];
/// The breakpoint, which programs may raise by an instruction.
const BREAKPOINT: usize = 3;

/// Entries of the table of traps.
const VECTORS: usize = 256;
/// Vectors below are exceptions.
pub const FIRST_INTERRUPT: usize = 32;
/// Bytes between the entry points of two exceptions.
pub const EXCEPTION_STUB_BYTES: usize = 10;
/// Bytes between the entry points of two interrupts, which come behind those of exceptions.
pub const INTERRUPT_STUB_BYTES: usize = 7;

/// A gate that masks interrupts, present.
const INTERRUPT_GATE: u64 = 0x8e << 40;
/// Software may go through the gate from user mode.
const GATE_FOR_USER: u64 = 3 << 45;

/// What the processor reads through a shared reference while it writes it.
#[repr(transparent)]
pub struct Shared<T>(UnsafeCell<T>);

// SAFETY: written by `init`, before the processor uses it, and afterwards only by the processor, by the trap
// code, which is assembly, and by `set_entered`, which the trap code waits for.
unsafe impl<T> Sync for Shared<T> {}

/// The 64-bit task state segment.
#[repr(C, packed(4))]
pub struct TaskState {
    reserved: u32,
    /// Where the stack is after a trap from user mode.
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
        // Behind the end: programs may use no port.
        io_map: size_of::<Self>() as u16,
    };
}

/// Offset of the stack for traps from user mode.
pub const STACK: usize = offset_of!(TaskState, stack);
/// Bytes of the table of segments.
pub const GDT_BYTES: usize = size_of::<[u64; 8]>();
/// Offset of the table of segments in [`TABLES`].
pub const GDT: usize = offset_of!(Tables, segments);

/// What the processor reads whoever runs, in pages of its own: see `entry_area`. The processor writes nothing here,
/// because accesses are recorded in the descriptors from the start.
#[repr(C, align(4096))]
pub struct Tables {
    traps: [[u64; 2]; VECTORS],
    segments: [u64; 8],
    task: TaskState,
}

/// The tables.
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

/// Where the context of the running thread ends, as its stack. The plain way makes it the processor's task state.
pub static TASK: Shared<TaskState> = Shared(UnsafeCell::new(TaskState::EMPTY));

/// Address and size of a table, as the processor loads them.
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

/// Which way traps go in and out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Straight into the context of the running thread.
    Plain,
    /// Over the stack of the entry area.
    Switched,
}

/// Makes the tables whole and lets the processor use them. `stubs` is the entry point of vector 0.
pub fn init(way: Way, stubs: usize) {
    let tables = TABLES.0.get();
    // SAFETY: called at boot with interrupts off, and nobody else refers to the tables. The descriptors name a task
    // state and stubs that never move.
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
            *entry = gate(vector, (stubs + stub_offset(vector)) as u64);
        }
        let segments = TablePointer::to(&raw const (*tables).segments);
        let traps = TablePointer::to(&raw const (*tables).traps);
        asm!("lgdt [{}]", in(reg) &segments, options(nostack, preserves_flags));
        asm!("lidt [{}]", in(reg) &traps, options(nostack, preserves_flags));
        asm!("ltr {:x}", in(reg) TASK_STATE, options(nostack, preserves_flags));
        // A processor starts with a local table at address zero, which is memory of programs: its gates would lead
        // them into the kernel. Source: Intel SDM, volume 3, table 9-1.
        asm!("lldt {:x}", in(reg) NO_SEGMENT, options(nostack, preserves_flags));
    }
}

/// Notes where the context ends into which the trap code stores what it has not stored yet.
pub fn set_entered(end: u64) {
    // SAFETY: the trap code reads it at the return, and replaces it by that of the thread that runs then.
    unsafe { (*TASK.0.get()).stack = end }
}

/// Where the entry point of a vector is, from that of vector 0.
pub const fn stub_offset(vector: usize) -> usize {
    let exceptions = if vector < FIRST_INTERRUPT { vector } else { FIRST_INTERRUPT };
    exceptions * EXCEPTION_STUB_BYTES + (vector - exceptions) * INTERRUPT_STUB_BYTES
}

fn task_state_descriptor(base: u64) -> [u64; 2] {
    let limit = size_of::<TaskState>() as u64 - 1;
    let low = limit | (base & 0xff_ffff) << 16 | TASK_STATE_DESCRIPTOR | (base >> 24 & 0xff) << 56;
    [low, base >> 32]
}

fn gate(vector: usize, target: u64) -> [u64; 2] {
    let user = if vector == BREAKPOINT { GATE_FOR_USER } else { 0 };
    let stack = u64::from(ANY_TIME.contains(&vector)) << 32;
    let low = target & 0xffff | u64::from(KERNEL_CODE) << 16 | stack | INTERRUPT_GATE | user;
    [low | (target >> 16 & 0xffff) << 48, target >> 32]
}
