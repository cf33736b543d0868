//! Capability slots of a protection domain: fixed ones, and windows of 64 indexed by a channel or child id.
//!
//! Source: Microkit 2.x `microkit.h`.

/// The endpoint or notification that the protection domain receives from.
pub const INPUT: u64 = 1;
/// The endpoint for its faults.
pub const FAULT_ENDPOINT: u64 = 2;
/// Its own address space.
pub const VSPACE: u64 = 3;
/// Its reply object.
pub const REPLY: u64 = 4;
/// The monitor's endpoint; passive protection domains only.
pub const MONITOR_ENDPOINT: u64 = 5;
/// Its own thread; benchmark configuration only.
pub const TCB: u64 = 6;
/// Secure monitor calls, if granted.
pub const ARM_SMC: u64 = 7;
/// Counters of floating-point switches, if granted.
pub const FPU_COUNTERS: u64 = 8;
/// The right to set the floating-point policy, if granted.
pub const FPU_POLICY: u64 = 9;
/// Slots in each of the windows below.
pub const WINDOW: u64 = 64;
/// Notifications of peers, by channel id.
pub const BASE_OUTPUT_NOTIFICATION: u64 = 10;
/// Endpoints of callees, by channel id.
pub const BASE_ENDPOINT: u64 = 74;
/// Interrupt lines, by id.
pub const BASE_IRQ: u64 = 138;
/// Threads of child protection domains, by child id.
pub const BASE_TCB: u64 = 202;
/// Threads of virtual CPUs.
pub const BASE_VM_TCB: u64 = 266;
/// Virtual CPUs.
pub const BASE_VCPU: u64 = 330;
/// I/O port ranges.
pub const BASE_IOPORT: u64 = 394;
/// The notification that the kernel signals when it prints a fault of this program; children in the debug configuration
/// only. The program itself has no rights to it.
pub const FAULT_OBSERVER: u64 = 458;

/// Services of the kernel, by id.
pub const BASE_SERVICE: u64 = 463;
/// The right to sample its own crossings, if granted.
pub const PROBE: u64 = 479;
/// Static keys, by id.
pub const BASE_KEY: u64 = 480;

/// Slots from here on are slots of the root table in the boot image's numbering: slot `n` is `ROOT + n`. Programs
/// address them as `n << 58`.
pub const ROOT: u64 = crate::limits::CAP_SLOTS as u64;

/// Slots of the monitor.
#[derive(Debug)]
pub struct MonitorSlot;
impl MonitorSlot {
    /// Threads of protection domains, by index.
    pub const BASE_TCB: u64 = 10;
    /// Scheduling contexts of protection domains, by index.
    pub const BASE_SCHED_CONTEXT: u64 = 74;
    /// Notifications of protection domains, by index.
    pub const BASE_NOTIFICATION: u64 = 138;
}

/// Badges: how a receiver identifies the sender.
#[derive(Debug)]
pub struct Badge;
impl Badge {
    /// Set in the badge of a protected call; the channel id is in [`Self::CHANNEL_MASK`].
    pub const PROTECTED_CALL: u64 = 1 << 63;
    /// Set in the badge of a child's fault; the child id is in [`Self::CHILD_MASK`].
    pub const CHILD_FAULT: u64 = 1 << 62;
    /// The channel id in the badge of a protected call.
    pub const CHANNEL_MASK: u64 = 0x3f;
    /// The child id in the badge of a child's fault.
    pub const CHILD_MASK: u64 = 0xff;
    /// Set in the badges of [`FAULT_OBSERVER`], beside the bit with the index of the protection domain.
    pub const PRINTED_FAULT: u64 = 1 << 63;
}

/// Bits of a capability pointer that select a slot of the root table; zero selects the program's own table.
pub const ROOT_BITS: u32 = 6;
/// Bits of a capability pointer that select a slot of the program's own table.
pub const TABLE_BITS: u32 = 9;
