//! Codes of the rules. They are stable: users and documents refer to them.

/// Defines one constant per rule, and `ALL`, which lists them.
#[macro_export]
macro_rules! diagnostic_codes {
    ($($name:ident = $code:literal;)*) => {
        $(pub(crate) const $name: &str = $code;)*

        /// Every code that this crate reports, in the order of `docs/diagnostics.md`.
        pub const ALL: &[&str] = &[$($code),*];
    };
}

diagnostic_codes! {
    XML_SYNTAX = "xml-syntax";
    XML_LIMIT = "xml-limit";
    ROOT_ELEMENT = "root-element";
    UNEXPECTED_TEXT = "unexpected-text";
    UNKNOWN_ELEMENT = "unknown-element";
    UNKNOWN_ATTRIBUTE = "unknown-attribute";
    MISSING_ATTRIBUTE = "missing-attribute";
    ATTRIBUTE_CHARACTERS = "attribute-characters";
    INVALID_NUMBER = "invalid-number";
    INVALID_BOOLEAN = "invalid-boolean";
    ELEMENT_NOT_SUPPORTED = "element-not-supported";

    PD_NONE = "pd-none";
    PD_TOO_MANY = "pd-too-many";
    PD_NAME_DUPLICATE = "pd-name-duplicate";
    PD_NAME_RESERVED = "pd-name-reserved";
    PD_NAME_LONG = "pd-name-long";
    PD_PRIORITY_RANGE = "pd-priority-range";
    PD_BUDGET_ZERO = "pd-budget-zero";
    PD_BUDGET_PERIOD = "pd-budget-period";
    PD_BUDGET_LEAST = "pd-budget-least";
    PD_PERIOD_RANGE = "pd-period-range";
    PD_STACK_SIZE_RANGE = "pd-stack-size-range";
    PD_STACK_SIZE_ALIGNMENT = "pd-stack-size-alignment";
    PD_CPU_RANGE = "pd-cpu-range";
    PD_OLDER_PP = "pd-older-pp";
    PD_TIMEOUT_FAULT = "pd-timeout-fault";
    PD_SMC = "pd-smc";
    PD_DOMAIN_UNKNOWN = "pd-domain-unknown";
    PD_DOMAIN_UNDECLARED = "pd-domain-undeclared";
    PD_CHILD_ID_RANGE = "pd-child-id-range";
    PD_CHILD_ID_DUPLICATE = "pd-child-id-duplicate";
    PROGRAM_IMAGE_MISSING = "program-image-missing";
    PROGRAM_IMAGE_DUPLICATE = "program-image-duplicate";
    COUNTER_DUPLICATE = "counter-duplicate";
    FPU_COUNTERS_DUPLICATE = "fpu-counters-duplicate";
    FPU_POLICY_DUPLICATE = "fpu-policy-duplicate";
    PROBE_DUPLICATE = "probe-duplicate";
    PROBE_RING_ADDRESS = "probe-ring-address";
    PROBE_RINGS_TOO_MANY = "probe-rings-too-many";
    TRACE_DUPLICATE = "trace-duplicate";
    TRACE_SIZE = "trace-size";
    VIRTUAL_MACHINE_OUTSIDE_PD = "virtual-machine-outside-pd";
    IOPORT_ARCHITECTURE = "ioport-architecture";
    IOPORT_ID_RANGE = "ioport-id-range";
    IOPORT_ID_DUPLICATE = "ioport-id-duplicate";
    IOPORT_SIZE_ZERO = "ioport-size-zero";
    IOPORT_RANGE = "ioport-range";
    IOPORT_KERNEL = "ioport-kernel";
    IOPORT_OVERLAP = "ioport-overlap";

    IRQ_ARCHITECTURE = "irq-architecture";
    IRQ_ID_RANGE = "irq-id-range";
    IRQ_TRIGGER = "irq-trigger";
    IRQ_POLARITY = "irq-polarity";
    IRQ_NEGATIVE = "irq-negative";
    IRQ_VECTOR_RANGE = "irq-vector-range";
    IRQ_PCI_ADDRESS = "irq-pci-address";
    IRQ_DUPLICATE = "irq-duplicate";
    IRQ_PIN_DUPLICATE = "irq-pin-duplicate";
    IRQ_MESSAGE_DUPLICATE = "irq-message-duplicate";
    STATIC_KEY_NAME_RESERVED = "static-key-name-reserved";
    STATIC_KEY_NAME_DUPLICATE = "static-key-name-duplicate";
    STATIC_KEY_GROUP = "static-key-group";
    STATIC_KEYS_TOO_MANY = "static-keys-too-many";
    KEY_UNKNOWN = "key-unknown";
    KEY_EMPTY = "key-empty";
    KEY_ID_RANGE = "key-id-range";
    KEY_SHARED_HERE = "key-shared-here";
    KEY_ID_DUPLICATE = "key-id-duplicate";
    SERVICE_ID_RANGE = "service-id-range";
    SERVICE_ID_DUPLICATE = "service-id-duplicate";
    SERVICE_REGION_UNKNOWN = "service-region-unknown";
    SERVICE_PD_UNKNOWN = "service-pd-unknown";
    SERVICES_TOO_MANY = "services-too-many";
    DIGEST_TARGET = "digest-target";
    RESET_NOT_CHILD = "reset-not-child";
    SEAL_RECORD = "seal-record";
    SEAL_RING = "seal-ring";
    SEAL_CIPHER = "seal-cipher";
    SEAL_REGION_UNKNOWN = "seal-region-unknown";
    SEAL_TOO_SMALL = "seal-too-small";
    SEAL_OVERWRITES = "seal-overwrites";
    SEAL_IRQ_UNKNOWN = "seal-irq-unknown";
    SEAL_IRQ_DUPLICATE = "seal-irq-duplicate";
    SEAL_KEY_SHARED = "seal-key-shared";
    WIPE_TRIGGER = "wipe-trigger";
    WIPE_IRQ_UNKNOWN = "wipe-irq-unknown";
    WIPE_DUPLICATE = "wipe-duplicate";
    WIPE_REGION_UNKNOWN = "wipe-region-unknown";
    WIPE_TOO_LARGE = "wipe-too-large";
    WIPES_TOO_MANY = "wipes-too-many";
    CSPACE_DUPLICATE = "cspace-duplicate";
    CSPACE_CAP_UNKNOWN = "cspace-cap-unknown";
    CSPACE_SLOT = "cspace-slot";
    CSPACE_PD_UNKNOWN = "cspace-pd-unknown";
    CSPACE_OVERLAP = "cspace-overlap";

    MR_NAME_DUPLICATE = "mr-name-duplicate";
    MR_PAGE_SIZE = "mr-page-size";
    MR_SIZE_MISSING = "mr-size-missing";
    MR_SIZE_ZERO = "mr-size-zero";
    MR_SIZE_MULTIPLE = "mr-size-multiple";
    MR_PREFILL_NOT_FOUND = "mr-prefill-not-found";
    MR_PREFILL_UNREADABLE = "mr-prefill-unreadable";
    MR_PREFILL_EMPTY = "mr-prefill-empty";
    MR_PREFILL_TOO_MUCH = "mr-prefill-too-much";
    MR_PREFILL_SIZE = "mr-prefill-size";
    MR_PREFILL_BOTH = "mr-prefill-both";
    MR_PREFILL_BOOT_INFO = "mr-prefill-boot-info";
    MR_PHYS_ADDR_ALIGNMENT = "mr-phys-addr-alignment";
    MR_PHYS_ADDR_OVERFLOW = "mr-phys-addr-overflow";
    MR_PHYS_ADDR_OVERLAP = "mr-phys-addr-overlap";
    MR_UNUSED = "mr-unused";

    MAP_MR_UNKNOWN = "map-mr-unknown";
    MAP_VADDR_LIMIT = "map-vaddr-limit";
    MAP_VADDR_ALIGNMENT = "map-vaddr-alignment";
    MAP_PERMS_LETTERS = "map-perms-letters";
    MAP_PERMS_WRITE_ONLY = "map-perms-write-only";
    MAP_PERMS_EMPTY = "map-perms-empty";
    MAP_OVERFLOW = "map-overflow";
    MAP_END_LIMIT = "map-end-limit";
    MAP_OVERLAP = "map-overlap";
    MAP_STACK_GUARD = "map-stack-guard";

    SETVAR_DUPLICATE = "setvar-duplicate";
    SETVAR_MR_UNKNOWN = "setvar-mr-unknown";
    SETVAR_PADDR_UNSPECIFIED = "setvar-paddr-unspecified";
    SETVAR_PREFILL_SIZE = "setvar-prefill-size";

    DOMAINS_DUPLICATE = "domains-duplicate";
    DOMAINS_TOO_MANY = "domains-too-many";
    DOMAIN_NAME_DUPLICATE = "domain-name-duplicate";
    DOMAIN_ID_RANGE = "domain-id-range";
    DOMAIN_ID_DUPLICATE = "domain-id-duplicate";
    DOMAIN_SCHEDULE_MISSING = "domain-schedule-missing";
    DOMAIN_SCHEDULE_DUPLICATE = "domain-schedule-duplicate";
    DOMAIN_SCHEDULE_CPU = "domain-schedule-cpu";
    DOMAIN_SCHEDULE_LENGTH = "domain-schedule-length";
    DOMAIN_SCHEDULE_START = "domain-schedule-start";
    DOMAIN_SCHEDULE_SHIFT = "domain-schedule-shift";
    SCHEDULE_ENTRY_DOMAIN = "schedule-entry-domain";
    SCHEDULE_ENTRY_DURATION = "schedule-entry-duration";
    DOMAIN_NEVER_RUNS = "domain-never-runs";

    CHANNEL_ENDS = "channel-ends";
    CHANNEL_PD_UNKNOWN = "channel-pd-unknown";
    CHANNEL_ID_RANGE = "channel-id-range";
    CHANNEL_ID_DUPLICATE = "channel-id-duplicate";
    CHANNEL_PPC_BOTH_WAYS = "channel-ppc-both-ways";
    CHANNEL_PPC_PRIORITY = "channel-ppc-priority";
    CHANNEL_SAME_PD = "channel-same-pd";
}
