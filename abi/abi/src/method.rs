//! Methods of kernel objects with their parameters, in the order of their labels.
//!
//! Generators of bindings count: a label is the place of a method in the interface's description. The tables therefore have
//! every method of the interface, and [`crate::Label`] those that Limen has. The kernel refuses the others, as it refuses
//! every label that an object does not know.
//!
//! Source: seL4 MCS API, `object-api.xml` and its two files for each architecture, single-core build without hypervisor,
//! IOMMU and hardware debug interface.

/// A kind of object.
#[derive(Debug)]
pub struct Interface {
    /// Its capability type.
    pub name: &'static str,
    /// Its methods, by ascending label.
    pub methods: &'static [Method],
}

/// A method of an object.
#[derive(Debug)]
pub struct Method {
    /// Its label in a message.
    pub label: u64,
    /// The name of its label.
    pub id: &'static str,
    /// Its name, as part of a function's name after that of the interface.
    pub name: &'static str,
    /// The caller's parameters.
    pub inputs: &'static [Parameter],
    /// The values in the reply.
    pub outputs: &'static [Parameter],
}

/// A name and a C type. Parameters that are capabilities are named beside the message, the others are its words.
pub type Parameter = (&'static str, &'static str);

/// A name and its words.
pub type Struct = (&'static str, &'static [&'static str]);

/// The methods that an architecture adds, in the order of their labels.
#[derive(Debug)]
pub struct ArchitectureMethods {
    /// Objects of its 64-bit form.
    pub specific: &'static [Interface],
    /// Objects of its family.
    pub family: &'static [Interface],
    /// Structures besides `seL4_UserContext` that methods take.
    pub structs: &'static [Struct],
}

macro_rules! interfaces {
    ($( $interface:ident { $( $label:literal $id:ident = $name:ident
        ($($input:ident: $input_type:ident),*) $(-> ($($output:ident: $output_type:ident),*))? ;)+ } )*) => {
        &[ $( Interface {
            name: stringify!($interface),
            methods: &[ $( Method {
                label: $label,
                id: stringify!($id),
                name: stringify!($name),
                inputs: &[ $( (stringify!($input), stringify!($input_type)), )* ],
                outputs: &[ $( $( (stringify!($output), stringify!($output_type)), )* )? ],
            }, )+ ],
        }, )* ]
    };
}

/// Objects of every architecture.
pub const COMMON: &[Interface] = interfaces! {
    seL4_Untyped {
        1 UntypedRetype = Retype(type: seL4_Word, size_bits: seL4_Word, root: seL4_CNode, node_index: seL4_Word,
            node_depth: seL4_Word, node_offset: seL4_Word, num_objects: seL4_Word);
    }
    seL4_TCB {
        2 TCBReadRegisters = ReadRegisters(suspend_source: seL4_Bool, arch_flags: seL4_Uint8, count: seL4_Word)
            -> (regs: seL4_UserContext);
        3 TCBWriteRegisters = WriteRegisters(resume_target: seL4_Bool, arch_flags: seL4_Uint8, count: seL4_Word,
            regs: seL4_UserContext);
        4 TCBCopyRegisters = CopyRegisters(source: seL4_TCB, suspend_source: seL4_Bool, resume_target: seL4_Bool,
            transfer_frame: seL4_Bool, transfer_integer: seL4_Bool, arch_flags: seL4_Uint8);
        5 TCBConfigure = Configure(cspace_root: seL4_CNode, cspace_root_data: seL4_Word, vspace_root: seL4_CPtr,
            vspace_root_data: seL4_Word, buffer: seL4_Word, bufferFrame: seL4_CPtr);
        6 TCBSetPriority = SetPriority(authority: seL4_TCB, priority: seL4_Word);
        7 TCBSetMCPriority = SetMCPriority(authority: seL4_TCB, mcp: seL4_Word);
        8 TCBSetSchedParams = SetSchedParams(authority: seL4_TCB, mcp: seL4_Word, priority: seL4_Word,
            sched_context: seL4_CPtr, fault_ep: seL4_CPtr);
        9 TCBSetTimeoutEndpoint = SetTimeoutEndpoint(timeout_fault_ep: seL4_CPtr);
        10 TCBSetIPCBuffer = SetIPCBuffer(buffer: seL4_Word, bufferFrame: seL4_CPtr);
        11 TCBSetSpace = SetSpace(fault_ep: seL4_CPtr, cspace_root: seL4_CNode, cspace_root_data: seL4_Word,
            vspace_root: seL4_CPtr, vspace_root_data: seL4_Word);
        12 TCBSuspend = Suspend();
        13 TCBResume = Resume();
        14 TCBBindNotification = BindNotification(notification: seL4_CPtr);
        15 TCBUnbindNotification = UnbindNotification();
        16 TCBSetTLSBase = SetTLSBase(tls_base: seL4_Word);
        17 TCBSetFlags = SetFlags(clear: seL4_Word, set: seL4_Word) -> (flags: seL4_Word);
    }
    seL4_CNode {
        18 CNodeRevoke = Revoke(index: seL4_Word, depth: seL4_Uint8);
        19 CNodeDelete = Delete(index: seL4_Word, depth: seL4_Uint8);
        20 CNodeCancelBadgedSends = CancelBadgedSends(index: seL4_Word, depth: seL4_Uint8);
        21 CNodeCopy = Copy(dest_index: seL4_Word, dest_depth: seL4_Uint8, src_root: seL4_CNode, src_index: seL4_Word,
            src_depth: seL4_Uint8, rights: seL4_CapRights_t);
        22 CNodeMint = Mint(dest_index: seL4_Word, dest_depth: seL4_Uint8, src_root: seL4_CNode, src_index: seL4_Word,
            src_depth: seL4_Uint8, rights: seL4_CapRights_t, badge: seL4_Word);
        23 CNodeMove = Move(dest_index: seL4_Word, dest_depth: seL4_Uint8, src_root: seL4_CNode, src_index: seL4_Word,
            src_depth: seL4_Uint8);
        24 CNodeMutate = Mutate(dest_index: seL4_Word, dest_depth: seL4_Uint8, src_root: seL4_CNode,
            src_index: seL4_Word, src_depth: seL4_Uint8, badge: seL4_Word);
        25 CNodeRotate = Rotate(dest_index: seL4_Word, dest_depth: seL4_Uint8, dest_badge: seL4_Word,
            pivot_root: seL4_CNode, pivot_index: seL4_Word, pivot_depth: seL4_Uint8, pivot_badge: seL4_Word,
            src_root: seL4_CNode, src_index: seL4_Word, src_depth: seL4_Uint8);
    }
    seL4_IRQControl {
        26 IRQIssueIRQHandler = Get(irq: seL4_Word, root: seL4_CNode, index: seL4_Word, depth: seL4_Uint8);
    }
    seL4_IRQHandler {
        27 IRQAckIRQ = Ack();
        28 IRQSetIRQHandler = SetNotification(notification: seL4_CPtr);
        29 IRQClearIRQHandler = Clear();
    }
    seL4_DomainSet {
        30 DomainSetSet = Set(domain: seL4_Uint8, thread: seL4_TCB);
        31 DomainScheduleConfigure = ScheduleConfigure(index: seL4_Word, domain: seL4_Uint8, duration: seL4_Time);
        32 DomainScheduleSetStart = ScheduleSetStart(index: seL4_Word);
    }
    seL4_SchedControl {
        33 SchedControlConfigureFlags = ConfigureFlags(schedcontext: seL4_SchedContext, budget: seL4_Time,
            period: seL4_Time, extra_refills: seL4_Word, badge: seL4_Word, flags: seL4_Word);
    }
    seL4_SchedContext {
        34 SchedContextBind = Bind(cap: seL4_CPtr);
        35 SchedContextUnbind = Unbind();
        36 SchedContextUnbindObject = UnbindObject(cap: seL4_CPtr);
        37 SchedContextConsumed = Consumed() -> (consumed: seL4_Time);
        38 SchedContextYieldTo = YieldTo() -> (consumed: seL4_Time);
    }
};

/// AArch64.
pub const AARCH64: ArchitectureMethods = ArchitectureMethods {
    structs: &[("seL4_ARM_SMCContext", &["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"])],
    specific: interfaces! {
        seL4_ARM_VSpace {
            39 ARMVSpaceClean_Data = Clean_Data(start: seL4_Word, end: seL4_Word);
            40 ARMVSpaceInvalidate_Data = Invalidate_Data(start: seL4_Word, end: seL4_Word);
            41 ARMVSpaceCleanInvalidate_Data = CleanInvalidate_Data(start: seL4_Word, end: seL4_Word);
            42 ARMVSpaceUnify_Instruction = Unify_Instruction(start: seL4_Word, end: seL4_Word);
        }
        seL4_ARM_SMC {
            43 ARMSMCCall = Call(smc_args: seL4_ARM_SMCContext) -> (smc_response: seL4_ARM_SMCContext);
        }
    },
    family: interfaces! {
        seL4_ARM_PageTable {
            44 ARMPageTableMap = Map(vspace: seL4_CPtr, vaddr: seL4_Word, attr: seL4_ARM_VMAttributes);
            45 ARMPageTableUnmap = Unmap();
        }
        seL4_ARM_Page {
            46 ARMPageMap = Map(vspace: seL4_CPtr, vaddr: seL4_Word, rights: seL4_CapRights_t,
                attr: seL4_ARM_VMAttributes);
            47 ARMPageUnmap = Unmap();
            48 ARMPageClean_Data = Clean_Data(start_offset: seL4_Word, end_offset: seL4_Word);
            49 ARMPageInvalidate_Data = Invalidate_Data(start_offset: seL4_Word, end_offset: seL4_Word);
            50 ARMPageCleanInvalidate_Data = CleanInvalidate_Data(start_offset: seL4_Word, end_offset: seL4_Word);
            51 ARMPageUnify_Instruction = Unify_Instruction(start_offset: seL4_Word, end_offset: seL4_Word);
            52 ARMPageGetAddress = GetAddress() -> (paddr: seL4_Word);
        }
        seL4_ARM_ASIDControl {
            53 ARMASIDControlMakePool = MakePool(untyped: seL4_Untyped, root: seL4_CNode, index: seL4_Word,
                depth: seL4_Uint8);
        }
        seL4_ARM_ASIDPool {
            54 ARMASIDPoolAssign = Assign(vspace: seL4_CPtr);
        }
        seL4_IRQControl {
            55 ARMIRQIssueIRQHandlerTrigger = GetTrigger(irq: seL4_Word, trigger: seL4_Word, root: seL4_CNode,
                index: seL4_Word, depth: seL4_Uint8);
        }
    },
};

/// RISC-V.
pub const RISCV64: ArchitectureMethods = ArchitectureMethods {
    structs: &[],
    specific: &[],
    family: interfaces! {
        seL4_RISCV_PageTable {
            39 RISCVPageTableMap = Map(vspace: seL4_RISCV_PageTable, vaddr: seL4_Word, attr: seL4_RISCV_VMAttributes);
            40 RISCVPageTableUnmap = Unmap();
        }
        seL4_RISCV_Page {
            41 RISCVPageMap = Map(vspace: seL4_RISCV_PageTable, vaddr: seL4_Word, rights: seL4_CapRights_t,
                attr: seL4_RISCV_VMAttributes);
            42 RISCVPageUnmap = Unmap();
            43 RISCVPageGetAddress = GetAddress() -> (paddr: seL4_Word);
        }
        seL4_RISCV_ASIDControl {
            44 RISCVASIDControlMakePool = MakePool(untyped: seL4_Untyped, root: seL4_CNode, index: seL4_Word,
                depth: seL4_Uint8);
        }
        seL4_RISCV_ASIDPool {
            45 RISCVASIDPoolAssign = Assign(vspace: seL4_CPtr);
        }
        seL4_IRQControl {
            46 RISCVIRQIssueIRQHandlerTrigger = GetTrigger(irq: seL4_Word, trigger: seL4_Word, root: seL4_CNode,
                index: seL4_Word, depth: seL4_Uint8);
        }
    },
};

/// 64-bit x86.
pub const X86_64: ArchitectureMethods = ArchitectureMethods {
    structs: &[],
    specific: interfaces! {
        seL4_X86_PDPT {
            39 X86PDPTMap = Map(pml4: seL4_X64_PML4, vaddr: seL4_Word, attr: seL4_X86_VMAttributes);
            40 X86PDPTUnmap = Unmap();
        }
    },
    family: interfaces! {
        seL4_X86_PageDirectory {
            41 X86PageDirectoryMap = Map(vspace: seL4_CPtr, vaddr: seL4_Word, attr: seL4_X86_VMAttributes);
            42 X86PageDirectoryUnmap = Unmap();
        }
        seL4_X86_PageTable {
            43 X86PageTableMap = Map(vspace: seL4_CPtr, vaddr: seL4_Word, attr: seL4_X86_VMAttributes);
            44 X86PageTableUnmap = Unmap();
        }
        seL4_X86_Page {
            45 X86PageMap = Map(vspace: seL4_CPtr, vaddr: seL4_Word, rights: seL4_CapRights_t,
                attr: seL4_X86_VMAttributes);
            46 X86PageUnmap = Unmap();
            47 X86PageGetAddress = GetAddress() -> (paddr: seL4_Word);
        }
        seL4_X86_ASIDControl {
            48 X86ASIDControlMakePool = MakePool(untyped: seL4_Untyped, root: seL4_CNode, index: seL4_Word,
                depth: seL4_Uint8);
        }
        seL4_X86_ASIDPool {
            49 X86ASIDPoolAssign = Assign(vspace: seL4_CPtr);
        }
        seL4_X86_IOPortControl {
            50 X86IOPortControlIssue = Issue(first_port: seL4_Word, last_port: seL4_Word, root: seL4_CNode,
                index: seL4_Word, depth: seL4_Uint8);
        }
        seL4_X86_IOPort {
            51 X86IOPortIn8 = In8(port: seL4_Uint16) -> (result: seL4_Uint8);
            52 X86IOPortIn16 = In16(port: seL4_Uint16) -> (result: seL4_Uint16);
            53 X86IOPortIn32 = In32(port: seL4_Uint16) -> (result: seL4_Uint32);
            54 X86IOPortOut8 = Out8(port: seL4_Word, data: seL4_Word);
            55 X86IOPortOut16 = Out16(port: seL4_Word, data: seL4_Word);
            56 X86IOPortOut32 = Out32(port: seL4_Word, data: seL4_Word);
        }
        seL4_IRQControl {
            57 X86IRQIssueIRQHandlerIOAPIC = GetIOAPIC(root: seL4_CNode, index: seL4_Word, depth: seL4_Uint8,
                ioapic: seL4_Word, pin: seL4_Word, level: seL4_Word, polarity: seL4_Word, vector: seL4_Word);
            58 X86IRQIssueIRQHandlerMSI = GetMSI(root: seL4_CNode, index: seL4_Word, depth: seL4_Uint8,
                pci_bus: seL4_Word, pci_dev: seL4_Word, pci_func: seL4_Word, handle: seL4_Word, vector: seL4_Word);
        }
    },
};

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;
    use crate::Label;
    use crate::label::FIRST_LIMEN_LABEL;

    fn methods(architecture: &ArchitectureMethods) -> Vec<&'static Method> {
        let interfaces = COMMON.iter().chain(architecture.specific).chain(architecture.family);
        interfaces.flat_map(|interface| interface.methods).collect()
    }

    #[test]
    fn labels_are_places() {
        for architecture in [AARCH64, RISCV64, X86_64] {
            for (method, place) in methods(&architecture).into_iter().zip(1..) {
                assert_eq!(method.label, place, "{}", method.id);
            }
        }
    }

    #[test]
    fn methods_that_limen_has_are_called_as_their_labels() {
        let all: Vec<_> = [AARCH64, RISCV64, X86_64].iter().flat_map(methods).collect();
        for (label, id, _) in Label::ALL.iter().filter(|(label, ..)| label.as_raw() < FIRST_LIMEN_LABEL) {
            assert!(all.iter().any(|method| (method.label, method.id) == (label.as_raw(), *id)), "{id}");
        }
        for method in all {
            let named = Label::ALL.iter().find(|(_, id, _)| *id == method.id);
            assert!(named.is_none_or(|(label, ..)| label.as_raw() == method.label), "{}", method.id);
        }
    }
}
