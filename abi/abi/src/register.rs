//! Registers: their roles in a system call, and the order in which thread registers are listed.
//!
//! Source: seL4 MCS API (`seL4_UserContext`, syscall stubs, fault message layouts).

/// Register roles in a system call, and layouts of register messages, of one architecture.
#[derive(Debug)]
pub struct RegisterMap {
    /// Architecture name as `CONFIG_SEL4_ARCH` gives it.
    pub name: &'static str,
    /// The trap instruction.
    pub trap: &'static str,
    /// Registers that the trap instruction clobbers.
    pub clobbers: &'static [&'static str],
    /// System-call number.
    pub syscall: &'static str,
    /// Capability pointer in, badge out.
    pub cptr: &'static str,
    /// Message info in and out.
    pub info: &'static str,
    /// Message words 0 to 3.
    pub words: [&'static str; 4],
    /// Reply object's capability pointer.
    pub reply: &'static str,
    /// Destination of NBSendRecv's send.
    pub send: &'static str,
    /// Names in `seL4_UserContext` order.
    pub context: &'static [&'static str],
    /// Words of an UnknownSyscall message.
    pub unknown_syscall: &'static [&'static str],
    /// Words of a UserException message.
    pub user_exception: &'static [&'static str],
}

/// The index of some words in the kernel's record of an x86_64 thread, which the debugger's tools read as well.
pub mod x86_64_context {
    /// Not a register: the page table.
    pub const SPACE: usize = 2;
    /// The frame pointer.
    pub const RBP: usize = 8;
    /// Capability pointer of a system call.
    pub const RDI: usize = 14;
    /// Number of a system call.
    pub const RDX: usize = 16;
    /// The program counter.
    pub const RIP: usize = 21;
    /// The stack pointer.
    pub const RSP: usize = 24;
}

/// AArch64.
pub const AARCH64: RegisterMap = RegisterMap {
    name: "aarch64",
    trap: "svc #0",
    clobbers: &[],
    syscall: "x7",
    cptr: "x0",
    info: "x1",
    words: ["x2", "x3", "x4", "x5"],
    reply: "x6",
    send: "x8",
    context: &[
        "pc",
        "sp",
        "spsr",
        "x0",
        "x1",
        "x2",
        "x3",
        "x4",
        "x5",
        "x6",
        "x7",
        "x8",
        "x16",
        "x17",
        "x18",
        "x29",
        "x30",
        "x9",
        "x10",
        "x11",
        "x12",
        "x13",
        "x14",
        "x15",
        "x19",
        "x20",
        "x21",
        "x22",
        "x23",
        "x24",
        "x25",
        "x26",
        "x27",
        "x28",
        "tpidr_el0",
        "tpidrro_el0",
    ],
    unknown_syscall: &[
        "X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "FaultIP", "SP", "LR", "SPSR", "Syscall",
    ],
    user_exception: &["FaultIP", "SP", "SPSR", "Number", "Code"],
};

/// RISC-V.
pub const RISCV64: RegisterMap = RegisterMap {
    name: "riscv64",
    trap: "ecall",
    clobbers: &[],
    syscall: "a7",
    cptr: "a0",
    info: "a1",
    words: ["a2", "a3", "a4", "a5"],
    reply: "a6",
    send: "t0",
    context: &[
        "pc", "ra", "sp", "gp", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
        "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "tp",
    ],
    unknown_syscall: &["FaultIP", "SP", "RA", "A0", "A1", "A2", "A3", "A4", "A5", "A6", "Syscall"],
    user_exception: &["FaultIP", "SP", "Number", "Code"],
};

/// 64-bit x86. The trap instruction itself overwrites rcx and r11.
pub const X86_64: RegisterMap = RegisterMap {
    name: "x86_64",
    trap: "syscall",
    clobbers: &["rcx", "r11"],
    syscall: "rdx",
    cptr: "rdi",
    info: "rsi",
    words: ["r10", "r8", "r9", "r15"],
    reply: "r12",
    send: "r13",
    context: &[
        "rip", "rsp", "rflags", "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11",
        "r12", "r13", "r14", "r15", "fs_base", "gs_base",
    ],
    unknown_syscall: &[
        "RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", "R8", "R9", "R10", "R11", "R12", "R13", "R14",
        "R15", "FaultIP", "SP", "FLAGS", "Syscall",
    ],
    user_exception: &["FaultIP", "SP", "FLAGS", "Number", "Code"],
};
