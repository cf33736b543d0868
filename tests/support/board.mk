# Differences between architectures and boards. Every Makefile that builds test programs includes this.
#
# BOARD_DIR and BUILD_DIR are set before; SUPPORT is the folder of this file.

GEN_CONFIG := $(BOARD_DIR)/include/kernel/gen_config.h
ARCH := $(shell grep 'CONFIG_SEL4_ARCH  ' $(GEN_CONFIG) | cut -d' ' -f4)
PLATFORM := $(shell grep 'CONFIG_PLAT  ' $(GEN_CONFIG) | cut -d' ' -f4)
HARD_FLOAT := $(shell grep 'CONFIG_RISCV_EXT_D  ' $(GEN_CONFIG))

ARCH_FLAGS_aarch64 := -mstrict-align
# Under the board's older name, floating-point arguments travel in integer registers.
ARCH_FLAGS_riscv64 := -march=rv64imafdc -mabi=$(if $(HARD_FLOAT),lp64d,lp64) -mcmodel=medany
ARCH_FLAGS_x86_64 := -march=x86-64 -mtune=generic
ARCH_FLAGS := $(ARCH_FLAGS_$(ARCH))
ifeq ($(ARCH_FLAGS),)
$(error there are no compiler flags for the architecture '$(ARCH)')
endif

GCC_aarch64 := aarch64-linux-gnu
GCC_riscv64 := riscv64-unknown-elf
GCC_x86_64 := x86_64-linux-gnu
GCC := $(GCC_$(ARCH))

# The object with the driver of the serial port, and where its registers are.
UART_qemu-arm-virt := uart_pl011.o
UART_qemu-riscv-virt := uart_ns16550.o
UART_hifive := uart_sifive.o
UART_zynqmp := uart_cadence.o
UART_pc99 := uart_com1.o
UART := $(UART_$(PLATFORM))
UART_PADDR_qemu-arm-virt := 0x9000000
UART_PADDR_qemu-riscv-virt := 0x10000000
UART_PADDR_hifive := 0x10010000
UART_PADDR_zynqmp := 0xff000000
UART_PADDR := $(UART_PADDR_$(PLATFORM))

# Descriptions have the physical addresses of AArch64 boards: the serial port, and places in RAM. On x86 the serial port
# is not memory, and only regions with a fixed address can tell it.
FIXED_aarch64 := 0x5
FIXED_riscv64 := 0xd
FIXED_x86_64 := 0x1
ADDRESSES_x86_64 := /<memory_region name="uart"/d; s/<map mr="uart".*>/<ioport id="0" addr="0x3f8" size="8"\/>/; \
    s/name="small" size/name="small" phys_addr="0x12000000" size/; \
    s/name="large" size/name="large" phys_addr="0x12200000" size/; \
    s/name="larger" size/name="larger" phys_addr="0x12400000" size/; \
    s/name="queue" size/name="queue" phys_addr="0x12a00000" size/
ADDRESSES := s/phys_addr="0x9000000"/phys_addr="$(UART_PADDR)"/; s/phys_addr="0x5/phys_addr="$(FIXED_$(ARCH))/; $(ADDRESSES_$(ARCH))

# SPREAD is a number of processors: the domains of a description without `cpu` are put on them in turn.
ifneq ($(SPREAD),)
SPREAD_DOMAINS := | awk '/<protection_domain / && !/ cpu="/ { sub(/<protection_domain /, "&cpu=\"" domains++ % $(SPREAD) "\" ") } 1'
endif

$(BUILD_DIR)/%.system: %.system $(MAKEFILE_LIST)
	mkdir -p $(@D)
	sed '$(MORE_ADDRESSES); $(ADDRESSES)' $< $(SPREAD_DOMAINS) > $@
