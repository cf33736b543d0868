//! Every limit of the system, by name.

/// Threads: 63 protection domains and the monitor.
pub const THREADS: usize = 64;
/// Processors that a system can use.
pub const PROCESSORS: usize = 4;
/// Pieces of memory of programs that the monitor can read in the debug configuration. At least one for each program,
/// which is its stack.
pub const MONITOR_VIEWS: usize = 2 * THREADS;
/// Endpoints: one per protection domain and one for the monitor.
pub const ENDPOINTS: usize = 64;
/// Notifications: one per protection domain and one for the monitor.
pub const NOTIFICATIONS: usize = 64;
/// Reply objects: one per thread.
pub const REPLIES: usize = 64;
/// Scheduling contexts: one per thread.
pub const SCHED_CONTEXTS: usize = 64;
/// Address spaces: one per thread, and one for the kernel's services on that thread's behalf.
pub const VSPACES: usize = 128;
/// Slots in a capability table.
pub const CAP_SLOTS: usize = 512;
/// Slots in a root table: the program's own capability table, and the slots that a description fills.
pub const ROOT_SLOTS: usize = 64;
/// Protection domains in a system, nested ones included.
pub const PROTECTION_DOMAINS: usize = 63;
/// Priority levels, 0 (lowest) to 255 (the monitor's).
pub const PRIORITIES: usize = 256;
/// Highest priority that a description may give to a protection domain.
pub const MAX_USER_PRIORITY: u8 = 254;
/// Highest channel, child and interrupt id inside a protection domain.
pub const MAX_CHANNEL_ID: u8 = 61;
/// Longest name of a protection domain that a program sees, in bytes.
pub const NAME_BYTES: usize = 64;
/// Scheduling domains: ids 0 to 15.
pub const DOMAINS: usize = 16;
/// Entries of the domain schedule, end markers included.
pub const DOMAIN_SCHEDULE: usize = 99;
/// Smallest budget below its period, in microseconds: twice the time that the kernel may need for one entry. The
/// kernel does not resume a thread with less budget left.
pub const MIN_BUDGET_US: u64 = 20;
/// Longest period of a scheduling context and longest domain slot, in microseconds: one hour.
pub const MAX_PERIOD_US: u64 = 3_600_000_000;
/// Lines of the largest interrupt controller; line numbers are smaller. GICv2 has 1020, PLIC 1024.
pub const INTERRUPT_LINES: u64 = 1024;
/// Vectors of an x86 processor; its timer uses one of them.
pub const INTERRUPT_VECTORS: u64 = 256;
/// Interrupts in a system, all protection domains together. A power of two.
pub const INTERRUPTS: usize = 128;
/// x86: the processor's vector that `vector="0"` in a description selects.
pub const FIRST_INTERRUPT_VECTOR: u64 = 0x30;
/// x86: highest `vector` in a description.
pub const MAX_INTERRUPT_VECTOR: u64 = 107;
/// Longest domain slot in ticks of the kernel's timer; a tick is shorter than 100 microseconds.
pub const MAX_DOMAIN_TICKS: u64 = 100 * MAX_PERIOD_US;
/// Static keys of a system, granted kernel keys included. A power of two.
pub const KEYS: usize = 64;
/// Highest id of a static key inside a protection domain.
pub const MAX_KEY_ID: u8 = 31;
/// Sites of static keys in programs that are bound to keys of the system, all programs together.
pub const KEY_SITES: usize = 1 << 14;
/// Sites that the kernel patches without a preemption point.
pub const KEY_SITES_AT_ONCE: usize = 64;
/// Threads without budget that one kernel entry postpones at most.
pub const POSTPONED_AT_ONCE: usize = 4;
/// Microseconds until the timer continues with the remaining ones. Longer than it takes to let interrupts in.
pub const PAUSE_US: u64 = 1;
/// Holds of a protection domain on a static key.
pub const KEY_HOLDS: u8 = 255;
/// Services of a system, all protection domains together. A power of two.
pub const SERVICES: usize = 64;
/// Highest id of a service inside a protection domain.
pub const MAX_SERVICE_ID: u8 = 15;
/// Most bytes that an interrupt or a fault wipes. A wipe has no preemption point.
pub const WIPE_BYTES: u64 = 0x1_0000;
/// Interrupts that wipe or seal memory.
pub const SERVED_INTERRUPTS: usize = 8;
/// Most bytes of a record that the kernel seals.
pub const SEAL_RECORD_BYTES: u64 = 0x1000;
/// The size of a record is a multiple of so many bytes.
pub const SEAL_ALIGNMENT: u64 = 16;
/// Most bytes that an interrupt seals; it has no preemption point. A request seals the rest.
pub const SEAL_BYTES_AT_ONCE: u64 = 0x1000;
/// Most entries of a ring that an interrupt takes.
pub const SEAL_RECORDS_AT_ONCE: u64 = 4;
/// Most entries of a ring whose buffers the kernel seals.
pub const SEAL_RING_ENTRIES: u64 = 1024;
/// Samples of crossings that the kernel buffers for a program.
pub const PROBE_SAMPLES: usize = 8;
/// Rings of samples in a system, one page each. A power of two.
pub const SAMPLE_RINGS: usize = 8;
/// Regions of memory in a system: memory regions in use, stacks, and program segments.
pub const REGIONS: usize = 1 << 16;
/// Mappings of such regions, all protection domains together.
pub const MAPPINGS: usize = 1 << 16;
/// Bytes in a page, the unit of mapping.
pub const PAGE_BYTES: u64 = 0x1000;
/// Most bytes of cache maintenance in one kernel entry: 32 lines of 64 bytes. Divides a page.
pub const CACHE_CHUNK_BYTES: u64 = 0x800;
/// Bytes in a large page.
pub const LARGE_PAGE_BYTES: u64 = 0x20_0000;
/// Highest user address on AArch64, inclusive: 40 bits.
pub const USER_TOP_AARCH64: u64 = 0xff_ffff_ffff;
/// Highest user address on RISC-V, inclusive: the lower half of Sv39 except its last page.
pub const USER_TOP_RISCV64: u64 = 0x3f_ffff_efff;
/// Highest user address on x86-64, inclusive: the lower 47 bits except the last page.
pub const USER_TOP_X86_64: u64 = 0x7fff_ffff_efff;
/// I/O ports of x86.
pub const IO_PORTS: u64 = 1 << 16;
/// I/O ports that the kernel uses, first and last of each range: the legacy interrupt controllers, and the timer that
/// calibrates the others. A program with access to them could stop all interrupts.
pub const KERNEL_IO_PORTS: [(u64, u64); 4] = [(0x20, 0x21), (0x40, 0x43), (0x61, 0x61), (0xa0, 0xa1)];
