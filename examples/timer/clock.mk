# The clock driver of each board, clock_KIND.c, and sed commands that adapt a description for QEMU's RISC-V machine to other
# boards.

CLOCK_qemu_virt_aarch64 := clock_aarch64
CLOCK_qemu_virt_aarch64_el1 := clock_aarch64
CLOCK_zcu102 := clock_aarch64
CLOCK_qemu_virt_riscv64 := clock_goldfish
CLOCK_hifive_unleashed := clock_sifive
CLOCK_x86_64_generic := clock_hpet
CLOCK := $(CLOCK_$(MICROKIT_BOARD))

CLOCK_WITHOUT_REGISTERS := /name="clock"/d; /mr="clock"/d; s/irq="11"/irq="30"/
CLOCK_PLACE_qemu_virt_aarch64 := $(CLOCK_WITHOUT_REGISTERS)
CLOCK_PLACE_qemu_virt_aarch64_el1 := $(CLOCK_WITHOUT_REGISTERS)
CLOCK_PLACE_zcu102 := $(CLOCK_WITHOUT_REGISTERS)
CLOCK_PLACE_hifive_unleashed := s/phys_addr="0x101000"/phys_addr="0x10020000"/; s/irq="11"/irq="42"/
CLOCK_PLACE_x86_64_generic := s/phys_addr="0x101000"/phys_addr="0xfed00000"/; s/irq="11"/pin="2" vector="0"/
CLOCK_PLACE := $(CLOCK_PLACE_$(MICROKIT_BOARD))
