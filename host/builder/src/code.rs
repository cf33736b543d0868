//! Codes of the builder's errors. They are stable: users and documents refer to them.

limen_sdf::diagnostic_codes! {
    PROGRAM_IMAGE_NOT_FOUND = "program-image-not-found";
    PROGRAM_ELF = "program-elf";
    PROGRAM_SYMBOLS = "program-symbols";
    SYMBOL_PATCH = "symbol-patch";
    SETVAR_SIZE = "setvar-size";
    SETVAR_CONSTANT = "setvar-constant";
    SYMBOL_OVERLAP = "symbol-overlap";
    ELF_OVER_STACK = "elf-over-stack";
    IPC_BUFFER_PLACE = "ipc-buffer-place";
    MAP_OVER_ELF = "map-over-elf";
    DEVICE_CROSSES_DOMAINS = "device-crosses-domains";
    COUNTER_CROSSES_DOMAINS = "counter-crosses-domains";
    PROBE_CROSSES_DOMAINS = "probe-crosses-domains";
    TRACE_CROSSES_DOMAINS = "trace-crosses-domains";
    KEY_SYMBOL = "key-symbol";
    KEY_SITE = "key-site";
    KEY_SITES_TOO_MANY = "key-sites-too-many";
    KEY_CROSSES_DOMAINS = "key-crosses-domains";
    KERNEL_KEY_CROSSES_DOMAINS = "kernel-key-crosses-domains";

    MAP_DEVICE_CACHED = "map-device-cached";
    MAP_DEVICE_EXECUTABLE = "map-device-executable";
    MAP_CACHED_AND_UNCACHED = "map-cached-and-uncached";
    IRQ_LINE_RANGE = "irq-line-range";
    IRQ_LINE_KERNEL = "irq-line-kernel";
    IRQ_PIN_RANGE = "irq-pin-range";
    IRQ_TOO_MANY = "irq-too-many";
    MR_PHYS_ADDR = "mr-phys-addr";
    MR_PREFILL_DEVICE = "mr-prefill-device";
    SERVICE_DEVICE = "service-device";
    SERVICE_UNCACHED = "service-uncached";
    SERVICE_TOO_LARGE = "service-too-large";
    MEMORY_REGION_FULL = "memory-region-full";
    MEMORY_FULL = "memory-full";
    MEMORY_TOO_MANY = "memory-too-many";
    MAPS_TOO_MANY = "maps-too-many";
    MEMORY_POOL = "memory-pool";
    IMAGE_TOO_LARGE = "image-too-large";
    IMAGE_REFUSED = "image-refused";
    ELF_OUTPUT = "elf-output";

    SDK_MISSING = "sdk-missing";
    SDK_FILE_MISSING = "sdk-file-missing";
    SDK_FILE = "sdk-file";
    BOARD_FILE = "board-file";
}
