//! Invocation labels: the methods of kernel objects.
//!
//! Source: seL4 MCS API, single-core build without the hardware debug interface. Only methods that Limen implements
//! are listed. Limen's own methods start at [`FIRST_LIMEN_LABEL`].

use crate::named::named_numbers;

/// Labels from here on are specific to Limen.
pub const FIRST_LIMEN_LABEL: u64 = 0x1000;

named_numbers! {
    /// Methods of kernel objects.
    pub enum Label: u64 {
        /// Read another thread's registers. MR0 bit 0: suspend first; MR1: count.
        TcbReadRegisters = 2 => "TCBReadRegisters",
        /// Write another thread's registers. MR0 bit 0: resume after; MR1: count; MR2..: values.
        TcbWriteRegisters = 3 => "TCBWriteRegisters",
        /// Set a thread's priority (MR0). Extra capability 0: a thread whose maximum controlled priority allows it.
        TcbSetPriority = 6 => "TCBSetPriority",
        /// Set a thread's maximum controlled priority (MR0). Extra capability 0: as above.
        TcbSetMcPriority = 7 => "TCBSetMCPriority",
        /// Suspend a thread until it is resumed.
        TcbSuspend = 12 => "TCBSuspend",
        /// Resume a suspended thread.
        TcbResume = 13 => "TCBResume",
        /// Bind a notification to a thread, which then also receives its signals. Extra capability 0: the notification.
        TcbBindNotification = 14 => "TCBBindNotification",
        /// Unbind a thread from its notification.
        TcbUnbindNotification = 15 => "TCBUnbindNotification",
        /// Set another thread's thread-local storage register. MR0: the value.
        TcbSetTlsBase = 16 => "TCBSetTLSBase",
        /// Clear flags of a thread (MR0), then set flags (MR1). MR0 of the answer: the flags.
        TcbSetFlags = 17 => "TCBSetFlags",
        /// Acknowledge an interrupt, so that it can be delivered again.
        IrqHandlerAck = 27 => "IRQAckIRQ",
        /// Set the budget (MR0, us) and the period (MR1) of a scheduling context (extra capability 0). MR3: timeout data.
        SchedControlConfigureFlags = 33 => "SchedControlConfigureFlags",
        /// Bind a scheduling context to a thread or a notification. Extra capability 0: that object.
        SchedContextBind = 34 => "SchedContextBind",
        /// Unbind a scheduling context from its thread and notification.
        SchedContextUnbind = 35 => "SchedContextUnbind",
        /// Unbind a scheduling context from one thread or notification. Extra capability 0: that object.
        SchedContextUnbindObject = 36 => "SchedContextUnbindObject",
        /// Read the microseconds consumed since the last read.
        SchedContextConsumed = 37 => "SchedContextConsumed",
        /// AArch64: clean data caches. MR0, MR1: first user address, and the first after the range.
        ArmVspaceCleanData = 39 => "ARMVSpaceClean_Data",
        /// AArch64: invalidate data caches, as above.
        ArmVspaceInvalidateData = 40 => "ARMVSpaceInvalidate_Data",
        /// AArch64: clean and invalidate data caches, as above.
        ArmVspaceCleanInvalidateData = 41 => "ARMVSpaceCleanInvalidate_Data",
        /// AArch64: make written instructions visible to fetches, as above.
        ArmVspaceUnifyInstruction = 42 => "ARMVSpaceUnify_Instruction",
        /// AArch64: call the secure monitor with x0 to x7 in MR0 to MR7; the answer has the same layout.
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
        /// Read the counters of floating-point switches. MR0 to MR4: saves, loads, enables, disables, faults.
        FpuReadCounters = 0x1000 => "LimenFpuReadCounters",
        /// Set the floating-point policy. MR0: the policy; MR1: options.
        FpuSetPolicy = 0x1001 => "LimenFpuSetPolicy",
        /// Turn on a static key. Refused if it has more than one hold.
        KeyEnable = 0x1010 => "LimenKeyEnable",
        /// Turn off a static key. Refused if other holds would remain.
        KeyDisable = 0x1011 => "LimenKeyDisable",
        /// Add a hold to a static key, which is on while it has holds.
        KeyInc = 0x1012 => "LimenKeyInc",
        /// Release a hold on a static key, or the hold of its default.
        KeyDec = 0x1013 => "LimenKeyDec",
        /// Read the state of a static key. MR0 to MR2: 1 while it is on, its holds, the holds of the caller.
        KeyRead = 0x1014 => "LimenKeyRead",
        /// Patch the remaining sites of a static key. A long key change continues with this call.
        KeyFollow = 0x1015 => "LimenKeyFollow",
        /// Start sampling the cost of the caller's own crossings.
        ProbeStart = 0x1020 => "LimenProbeStart",
        /// Stop sampling.
        ProbeStop = 0x1021 => "LimenProbeStop",
        /// Sample the next event of a kind. MR0: the kind; MR1, MR2: first and last program counter; MR3: options.
        ProbeArm = 0x1022 => "LimenProbeArm",
        /// Read and remove the oldest sample. MR0 to MR7: 1 if valid, event, program's stamp, kernel's stamp, interruptions, dropped samples, 1 if crossings switch page tables, interruptions after.
        ProbeRead = 0x1023 => "LimenProbeRead",
        /// Run a service of the kernel. MR0 to MR3 of the answer: the digest, if the service computes one.
        ServiceRun = 0x1030 => "LimenServiceRun",
    }
}
