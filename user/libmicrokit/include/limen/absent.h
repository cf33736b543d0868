/* Names of objects that Limen does not have.
 *
 * Bindings of other languages are generated for the whole interface, so that they name these objects, although a
 * protection domain has no capability of any. <sel4/arch/mapping.h> includes this for them. A C program does not
 * see the names, and learns from its compiler what is not there. */
#ifndef LIMEN_ABSENT_H
#define LIMEN_ABSENT_H

#include <sel4/message.h>

typedef seL4_CPtr seL4_Untyped;
typedef seL4_CPtr seL4_IRQControl;
typedef seL4_CPtr seL4_DomainSet;
typedef seL4_Word seL4_SlotPos;
typedef seL4_Word seL4_Domain;
typedef seL4_Word seL4_PAddr;

/* Kinds of objects that memory can be made into. */
typedef enum api_object {
    seL4_UntypedObject,
    seL4_TCBObject,
    seL4_EndpointObject,
    seL4_NotificationObject,
    seL4_CapTableObject,
    seL4_SchedContextObject,
    seL4_ReplyObject,
    seL4_NonArchObjectTypeCount,
} seL4_ObjectType;

/* Slots of the first program of a system that makes its objects itself. The macro is one of them here. */
#undef seL4_CapNull
typedef enum seL4_RootCNodeCapSlots {
    seL4_CapNull = 0,
    seL4_CapInitThreadTCB = 1,
    seL4_CapInitThreadCNode = 2,
    seL4_CapInitThreadVSpace = 3,
    seL4_CapIRQControl = 4,
    seL4_CapASIDControl = 5,
    seL4_CapInitThreadASIDPool = 6,
    seL4_CapIOPortControl = 7,
    seL4_CapIOSpace = 8,
    seL4_CapBootInfoFrame = 9,
    seL4_CapInitThreadIPCBuffer = 10,
    seL4_CapDomain = 11,
    seL4_CapSMMUSIDControl = 12,
    seL4_CapSMMUCBControl = 13,
    seL4_CapInitThreadSC = 14,
    seL4_CapSMC = 15,
    seL4_NumInitialCaps = 16,
} seL4_RootCNodeCapSlots;

typedef struct seL4_SlotRegion {
    seL4_SlotPos start;
    seL4_SlotPos end;
} seL4_SlotRegion;

typedef struct seL4_UntypedDesc {
    seL4_Word paddr;
    seL4_Uint8 sizeBits;
    seL4_Uint8 isDevice;
    seL4_Uint8 padding[sizeof(seL4_Word) - 2 * sizeof(seL4_Uint8)];
} seL4_UntypedDesc;

/* Boot information of such a program. */
typedef struct seL4_BootInfo {
    seL4_Word extraLen;
    seL4_NodeId nodeID;
    seL4_Word numNodes;
    seL4_Word numIOPTLevels;
    seL4_IPCBuffer *ipcBuffer;
    seL4_SlotRegion empty;
    seL4_SlotRegion sharedFrames;
    seL4_SlotRegion userImageFrames;
    seL4_SlotRegion userImagePaging;
    seL4_SlotRegion ioSpaceCaps;
    seL4_SlotRegion extraBIPages;
    seL4_Word initThreadCNodeSizeBits;
    seL4_Domain initThreadDomain;
    seL4_SlotRegion schedcontrol;
    seL4_SlotRegion untyped;
    seL4_UntypedDesc untypedList[CONFIG_MAX_NUM_BOOTINFO_UNTYPED_CAPS];
} seL4_BootInfo;

/* Sizes of objects, as powers of two. */
#define seL4_WordSizeBits 3
#define seL4_SlotBits 5
#define seL4_TCBBits 12
#define seL4_EndpointBits 4
#define seL4_NotificationBits 6
#define seL4_ReplyBits 5
#define seL4_MinSchedContextBits 7
#define seL4_IPCBufferSizeBits 10
#define seL4_ASIDPoolBits 12
#define seL4_ASIDPoolIndexBits 9
#define seL4_PageTableBits 12
#define seL4_PageTableEntryBits 3
#define seL4_PageTableIndexBits 9
#define seL4_HugePageBits 30
#define seL4_VSpaceBits 12
#define seL4_VSpaceEntryBits 3
#define seL4_VSpaceIndexBits 9
#define seL4_MinUntypedBits 4
#define seL4_MaxUntypedBits 47

#define LIMEN_ALL_BITS ((1ul << (seL4_WordBits - 1)) - 1)

#if defined(CONFIG_ARCH_AARCH64)
typedef seL4_CPtr seL4_ARM_Page;
typedef seL4_CPtr seL4_ARM_PageTable;
typedef seL4_CPtr seL4_ARM_VSpace;
typedef seL4_CPtr seL4_ARM_ASIDControl;
typedef seL4_CPtr seL4_ARM_ASIDPool;
typedef seL4_CPtr seL4_ARM_VCPU;
typedef seL4_CPtr seL4_ARM_IOSpace;
typedef seL4_CPtr seL4_ARM_IOPageTable;
typedef seL4_CPtr seL4_ARM_SMC;

typedef enum _mode_object {
    seL4_ARM_HugePageObject = seL4_NonArchObjectTypeCount,
    seL4_ARM_VSpaceObject,
    seL4_ModeObjectTypeCount,
} seL4_ModeObjectType;

typedef enum _object {
    seL4_ARM_SmallPageObject = seL4_ModeObjectTypeCount,
    seL4_ARM_LargePageObject,
    seL4_ARM_PageTableObject,
    seL4_ObjectTypeCount,
} seL4_ArchObjectType;

__extension__ typedef enum seL4_ARM_VMAttributes {
    seL4_ARM_PageCacheable = 1,
    seL4_ARM_ParityEnabled = 2,
    seL4_ARM_Default_VMAttributes = 3,
    seL4_ARM_ExecuteNever = 4,
    LIMEN_WIDTH_OF_seL4_ARM_VMAttributes = LIMEN_ALL_BITS,
} seL4_ARM_VMAttributes;
#endif

#if defined(CONFIG_ARCH_RISCV)
typedef seL4_CPtr seL4_RISCV_Page;
typedef seL4_CPtr seL4_RISCV_PageTable;
typedef seL4_CPtr seL4_RISCV_ASIDControl;
typedef seL4_CPtr seL4_RISCV_ASIDPool;

typedef enum _mode_object {
    seL4_RISCV_Giga_Page = seL4_NonArchObjectTypeCount,
    seL4_ModeObjectTypeCount,
} seL4_ModeObjectType;

typedef enum _object {
    seL4_RISCV_4K_Page = seL4_ModeObjectTypeCount,
    seL4_RISCV_Mega_Page,
    seL4_RISCV_PageTableObject,
    seL4_ObjectTypeCount,
} seL4_ArchObjectType;

__extension__ typedef enum seL4_RISCV_VMAttributes {
    seL4_RISCV_Default_VMAttributes = 0,
    seL4_RISCV_ExecuteNever = 1,
    LIMEN_WIDTH_OF_seL4_RISCV_VMAttributes = LIMEN_ALL_BITS,
} seL4_RISCV_VMAttributes;
#endif

#if defined(CONFIG_ARCH_X86_64)
#define seL4_PageDirBits 12
#define seL4_PageDirEntryBits 3
#define seL4_PageDirIndexBits 9
#define seL4_PDPTBits 12
#define seL4_PDPTEntryBits 3
#define seL4_PDPTIndexBits 9
#define seL4_PML4Bits 12
#define seL4_PML4EntryBits 3
#define seL4_PML4IndexBits 9
#define seL4_IOPageTableBits 12

typedef seL4_CPtr seL4_X86_Page;
typedef seL4_CPtr seL4_X86_PageTable;
typedef seL4_CPtr seL4_X86_PageDirectory;
typedef seL4_CPtr seL4_X86_PDPT;
typedef seL4_CPtr seL4_X64_PML4;
typedef seL4_CPtr seL4_X86_ASIDControl;
typedef seL4_CPtr seL4_X86_ASIDPool;
typedef seL4_CPtr seL4_X86_IOPortControl;
typedef seL4_CPtr seL4_X86_IOPort;
typedef seL4_CPtr seL4_X86_IOSpace;
typedef seL4_CPtr seL4_X86_IOPageTable;
typedef seL4_CPtr seL4_X86_VCPU;

typedef enum _mode_object {
    seL4_X86_PDPTObject = seL4_NonArchObjectTypeCount,
    seL4_X64_PML4Object,
    seL4_X64_HugePageObject,
    seL4_ModeObjectTypeCount,
} seL4_ModeObjectType;

typedef enum _object {
    seL4_X86_4K = seL4_ModeObjectTypeCount,
    seL4_X86_LargePageObject,
    seL4_X86_PageTableObject,
    seL4_X86_PageDirectoryObject,
    seL4_ObjectTypeCount,
} seL4_ArchObjectType;

__extension__ typedef enum seL4_X86_VMAttributes {
    seL4_X86_WriteBack = 0,
    seL4_X86_Default_VMAttributes = 0,
    seL4_X86_WriteThrough = 1,
    seL4_X86_CacheDisabled = 2,
    seL4_X86_Uncacheable = 3,
    seL4_X86_WriteCombining = 4,
    LIMEN_WIDTH_OF_seL4_X86_VMAttributes = LIMEN_ALL_BITS,
} seL4_X86_VMAttributes;
#endif

#endif /* LIMEN_ABSENT_H */
