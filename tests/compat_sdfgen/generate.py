"""Writes the description of the test system for a board, and the configuration data of its programs.

usage: generate.py BOARD TREE CLASSES OUTPUT

TREE is the board's device tree, CLASSES a folder with a file for each driver, OUTPUT where the files go.
"""

import pathlib
import sys

from sdfgen import DeviceTree, Sddf, SystemDescription

Arch = SystemDescription.Arch
Channel = SystemDescription.Channel
Domain = SystemDescription.ProtectionDomain
Ioapic = SystemDescription.IrqIoapic
Irq = SystemDescription.IrqConventional
Map = SystemDescription.Map
Region = SystemDescription.MemoryRegion

# The architecture, an address in RAM below which memory for devices is placed, the registers of the console, and the
# driver's device: a node of the tree, or its registers and its interrupt.
BOARDS = {
    "qemu_virt_aarch64": (Arch.AARCH64, 0x70000000, 0x9000000, "pl031@9010000"),
    "qemu_virt_aarch64_el1": (Arch.AARCH64, 0x70000000, 0x9000000, "pl031@9010000"),
    "zcu102": (Arch.AARCH64, 0x70000000, 0xFF000000, (0xFF010000, 54)),
    "qemu_virt_riscv64": (Arch.RISCV64, 0xD0000000, 0x10000000, "soc/rtc@101000"),
    "hifive_unleashed": (Arch.RISCV64, 0xD0000000, 0x10010000, (0x10010000, 4)),
    "x86_64_generic": (Arch.X86_64, 0x18000000, None, None),
}

board, tree, classes, output = sys.argv[1:]
architecture, top, console, device = BOARDS[board]
system = SystemDescription(architecture, top)
Sddf(classes)


def domain(name, priority, image="component.elf", **more):
    """A protection domain; most run the same program."""
    made = Domain(name, image, priority=priority, **more)
    system.add_pd(made)
    return made


def registers(name, address):
    """The page of a device."""
    made = Region(system, name, 0x1000, paddr=address)
    system.add_mr(made)
    return made


client = domain("client", 10, "client_configured.elf", stack_size=0x4000)
driver = domain("driver", 100, "driver_configured.elf")
uart = domain("uart", 254, "uart.elf")
system.add_channel(Channel(client, uart, a_id=30, b_id=1, pp_a=True))

# x86 has its console and the driver's device at ports.
if architecture == Arch.X86_64:
    uart.add_ioport(SystemDescription.IoPort(0x3F8, 8, id=0))
    driver.add_ioport(SystemDescription.IoPort(0x60, 1, id=1))
    driver.add_ioport(SystemDescription.IoPort(0x64, 1, id=2))
    driver.add_irq(
        Ioapic(0, 12, 0, Ioapic.Trigger.EDGE, Ioapic.Polarity.ACTIVEHIGH, id=7, setvar_id="line")
    )
else:
    console_page = registers("console", console)
    uart.add_map(Map(console_page, 0x2000000, "rw", cached=False, setvar_vaddr="uart_base"))
    if isinstance(device, tuple):
        address, line = device
        page = console_page if address == console else registers("edge", address)
        driver.add_map(Map(page, 0x2001000, "rw", cached=False, setvar_vaddr="edge_base"))
        driver.add_irq(Irq(line, trigger=Irq.Trigger.LEVEL, id=7, setvar_id="line"))

# A node does not keep its tree.
device_tree = DeviceTree(pathlib.Path(tree).read_bytes()) if isinstance(device, str) else None
timer = Sddf.Timer(system, device_tree and device_tree.node(device), driver)
timer.add_client(client)

serial = Sddf.Serial(
    system,
    None,
    domain("serial_driver", 99),
    domain("serial_transmit", 98),
    virt_rx=domain("serial_receive", 97, budget=1000, period=2000),
)
serial.add_client(client)

disks = domain("disks", 95)
disks.add_child_pd(Domain("spare_disk", "component.elf", priority=94))
block = Sddf.Blk(system, None, domain("disk_driver", 96, cpu=0), disks)
block.add_client(client, partition=0)

network = Sddf.Net(
    system, None, domain("network_driver", 93), domain("network_send", 92), domain("network_receive", 91)
)
network.add_client_with_copier(client, domain("network_copy", 90), mac_addr="52:54:01:00:00:05")

for subsystem in timer, serial, block, network:
    if not subsystem.connect() or not subsystem.serialise_config(output):
        sys.exit(f"{type(subsystem).__name__} cannot be connected")
pathlib.Path(output, "generated.system").write_text(system.render())
