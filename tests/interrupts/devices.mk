# Two devices of each board whose interrupts a program can cause: one with a level, one with edges. LEVEL and EDGE are the
# objects with their drivers, level.h and edge.h.

LEVEL_qemu_virt_aarch64 := level_physical_timer
LEVEL_qemu_virt_aarch64_el1 := level_physical_timer
LEVEL_zcu102 := level_physical_timer
LEVEL_qemu_virt_riscv64 := level_ns16550
LEVEL_hifive_unleashed := level_sifive_spi
LEVEL_x86_64_generic := level_hpet
EDGE_qemu_virt_aarch64 := edge_pl031
EDGE_qemu_virt_aarch64_el1 := edge_pl031
EDGE_zcu102 := edge_cadence
EDGE_qemu_virt_riscv64 := edge_goldfish
EDGE_hifive_unleashed := edge_sifive
EDGE_x86_64_generic := edge_keyboard
LEVEL := $(LEVEL_$(MICROKIT_BOARD)).o
EDGE := $(EDGE_$(MICROKIT_BOARD)).o

# What the description, which is for QEMU's AArch64 machine, says about these devices on other boards.
MORE_ADDRESSES_zcu102 := s/phys_addr="0x9010000"/phys_addr="0xff010000"/; s/irq="34"/irq="54"/
MORE_ADDRESSES_qemu_virt_riscv64 := s/phys_addr="0x9010000"/phys_addr="0x101000"/; s/irq="34"/irq="11"/; \
    s/mr="level"/mr="uart"/; s/irq="30"/irq="10"/
MORE_ADDRESSES_hifive_unleashed := s/mr="edge"/mr="uart"/; s/irq="34"/irq="4"/; \
    s/phys_addr="0x9020000"/phys_addr="0x10040000"/; s/irq="30"/irq="51"/
MORE_ADDRESSES_x86_64_generic := s/phys_addr="0x9020000"/phys_addr="0xfed00000"/; s/irq="30"/pin="2" vector="7"/; \
    s/<map mr="edge".*>/<ioport id="1" addr="0x60" size="1"\/><ioport id="2" addr="0x64" size="1"\/>/; \
    s/irq="34"/pin="12" vector="0"/
MORE_ADDRESSES := $(MORE_ADDRESSES_$(MICROKIT_BOARD))
