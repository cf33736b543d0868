//! Invocation labels: what to do with the object that a capability names.
//!
//! Source: seL4 MCS API, single-core build without the hardware debug interface. Only methods that Limen has
//! are listed. Limen's own methods start at [`FIRST_LIMEN_LABEL`].

use crate::named::named_numbers;

/// Labels from here on belong to Limen alone.
pub const FIRST_LIMEN_LABEL: u64 = 0x1000;

named_numbers! {
    /// Methods of kernel objects.
    pub enum Label: u64 {
        /// Read another thread's registers. MR0 bit 0: suspend first; MR1: count.
        TcbReadRegisters = 2 => "TCBReadRegisters",
        /// Write another thread's registers. MR0 bit 0: resume after; MR1: count; MR2..: values.
        TcbWriteRegisters = 3 => "TCBWriteRegisters",
        /// Give a thread another priority (MR0). Extra capability 0: a thread whose highest priority allows it.
        TcbSetPriority = 6 => "TCBSetPriority",
        /// Say up to which priority (MR0) a thread may set others. Extra capability 0: as above.
        TcbSetMcPriority = 7 => "TCBSetMCPriority",
        /// Stop a thread until it is resumed.
        TcbSuspend = 12 => "TCBSuspend",
        /// Let a stopped thread run again from where it was.
        TcbResume = 13 => "TCBResume",
        /// Let a notification interrupt a thread's receiving. Extra capability 0: the notification.
        TcbBindNotification = 14 => "TCBBindNotification",
        /// Part a thread from its notification.
        TcbUnbindNotification = 15 => "TCBUnbindNotification",
        /// Set another thread's register for thread-local storage. MR0: the value.
        TcbSetTlsBase = 16 => "TCBSetTLSBase",
        /// Clear flags of a thread (MR0), then set flags (MR1). MR0 of the answer: the flags.
        TcbSetFlags = 17 => "TCBSetFlags",
        /// Let an interrupt line be delivered again.
        IrqHandlerAck = 27 => "IRQAckIRQ",
        /// Give a scheduling context (extra capability 0) a budget (MR0, us) and a period (MR1). MR3: timeout data.
        SchedControlConfigureFlags = 33 => "SchedControlConfigureFlags",
        /// Give a scheduling context to a thread or a notification. Extra capability 0: the receiver.
        SchedContextBind = 34 => "SchedContextBind",
        /// Take a scheduling context from whoever has it.
        SchedContextUnbind = 35 => "SchedContextUnbind",
        /// Take a scheduling context from one thread or notification. Extra capability 0: the holder.
        SchedContextUnbindObject = 36 => "SchedContextUnbindObject",
        /// Microseconds consumed since the last time this was asked.
        SchedContextConsumed = 37 => "SchedContextConsumed",
        /// AArch64: write data to memory. MR0, MR1: first user address, and the first after it.
        ArmVspaceCleanData = 39 => "ARMVSpaceClean_Data",
        /// AArch64: forget cached data, as above.
        ArmVspaceInvalidateData = 40 => "ARMVSpaceInvalidate_Data",
        /// AArch64: write data to memory and forget it, as above.
        ArmVspaceCleanInvalidateData = 41 => "ARMVSpaceCleanInvalidate_Data",
        /// AArch64: make written instructions visible to fetches, as above.
        ArmVspaceUnifyInstruction = 42 => "ARMVSpaceUnify_Instruction",
        /// AArch64: call the secure monitor with x0 to x7 in MR0 to MR7; answered with the same.
        ArmSmcCall = 43 => "ARMSMCCall",
        /// x86: read a byte from a port. MR0: the port.
        X86IoPortIn8 = 51 => "X86IOPortIn8",
        /// x86: read two bytes from a port. MR0: the port.
        X86IoPortIn16 = 52 => "X86IOPortIn16",
        /// x86: read four bytes from a port. MR0: the port.
        X86IoPortIn32 = 53 => "X86IOPortIn32",
        /// x86: write a byte to a port. MR0: the port; MR1: the byte.
        X86IoPortOut8 = 54 => "X86IOPortOut8",
        /// x86: write two bytes to a port. MR0: the port; MR1: the bytes.
        X86IoPortOut16 = 55 => "X86IOPortOut16",
        /// x86: write four bytes to a port. MR0: the port; MR1: the bytes.
        X86IoPortOut32 = 56 => "X86IOPortOut32",
        /// How often floating-point registers were switched. MR0 to MR4: saves, loads, enables, disables, faults.
        FpuReadCounters = 0x1000 => "LimenFpuReadCounters",
        /// Choose when floating-point registers are switched. MR0: the policy; MR1: options.
        FpuSetPolicy = 0x1001 => "LimenFpuSetPolicy",
        /// Turn a static key on that nobody counts.
        KeyEnable = 0x1010 => "LimenKeyEnable",
        /// Turn a static key off that nobody else holds.
        KeyDisable = 0x1011 => "LimenKeyDisable",
        /// Hold a static key once more: it is on as long as somebody holds it.
        KeyInc = 0x1012 => "LimenKeyInc",
        /// Give back a hold on a static key, or the one that its default is.
        KeyDec = 0x1013 => "LimenKeyDec",
        /// What a static key is. MR0 to MR2: 1 while it is on, how many want it on, how often the caller holds it.
        KeyRead = 0x1014 => "LimenKeyRead",
        /// Have the other branches follow a static key: a change that takes long goes on with this by itself.
        KeyFollow = 0x1015 => "LimenKeyFollow",
        /// Begin to sample what the caller's own crossings cost.
        ProbeStart = 0x1020 => "LimenProbeStart",
        /// End it.
        ProbeStop = 0x1021 => "LimenProbeStop",
        /// Sample the next event of a kind. MR0: which; MR1, MR2: first and last program counter; MR3: options.
        ProbeArm = 0x1022 => "LimenProbeArm",
        /// Take the oldest sample. MR0 to MR7: is there one, event, program's and kernel's stamp, interruptions, dropped, are page tables switched, interruptions after.
        ProbeRead = 0x1023 => "LimenProbeRead",
        /// Let the kernel do the work of a service. MR0 to MR3 of the answer: what a digest came to.
        ServiceRun = 0x1030 => "LimenServiceRun",
    }
}
