/* Source: PCI Local Bus Specification 3.0, 3.2.2.3.2 and 6.8.1; Intel SDM, volume 3, 11.11; QEMU, docs/specs/edu. */

#include "edu.h"

/* The ports to the configuration of PCI devices, and their id in the description. */
#define PCI_PORTS 1
#define PCI_ADDRESS 0xcf8
#define PCI_DATA 0xcfc
#define PCI_ENABLE (1u << 31)

/* Device 4 on the first bus. */
#define DEVICE (4u << 11)

/* Registers of its configuration, by offset. */
enum pci_register {
    PCI_IDENTITY = 0x00,
    PCI_COMMAND = 0x04,
    PCI_BASE_ADDRESS = 0x10,
    PCI_CAPABILITIES = 0x34,
};

#define EDU_IDENTITY 0x11e81234u
#define PCI_COMMAND_MEMORY (1u << 1)
#define PCI_COMMAND_MASTER (1u << 2)
#define PCI_CAPABILITY_MESSAGES 5u
#define MESSAGES_ENABLE (1u << 16)
#define MESSAGES_64_BITS (1u << 23)

/* The local APIC of the first processor, as a device writes to it. */
#define APIC_MESSAGES 0xfee00000u
/* Where the description has the registers of the device. */
#define EDU_PADDR 0xd0000000u

/* Registers of the device, as word offsets. */
enum edu_register {
    EDU_RAISE = 0x60 / 4,
    EDU_ACKNOWLEDGE = 0x64 / 4,
};

/* Their address; set by the tool. */
seL4_Word edu_base;

static seL4_Uint32 pci_read(seL4_Uint32 offset)
{
    microkit_x86_ioport_write_32(PCI_PORTS, PCI_ADDRESS, PCI_ENABLE | DEVICE | offset);
    return microkit_x86_ioport_read_32(PCI_PORTS, PCI_DATA);
}

static void pci_write(seL4_Uint32 offset, seL4_Uint32 value)
{
    microkit_x86_ioport_write_32(PCI_PORTS, PCI_ADDRESS, PCI_ENABLE | DEVICE | offset);
    microkit_x86_ioport_write_32(PCI_PORTS, PCI_DATA, value);
}

/* The offset of the device's capability for messages; 0 if it has none. */
static seL4_Uint32 find_messages(void)
{
    seL4_Uint32 at = pci_read(PCI_CAPABILITIES) & 0xfc;
    while (at && (pci_read(at) & 0xff) != PCI_CAPABILITY_MESSAGES) {
        at = pci_read(at) >> 8 & 0xfc;
    }
    return at;
}

void edu_start(seL4_Word vector)
{
    seL4_Uint32 messages = find_messages();
    if (pci_read(PCI_IDENTITY) != EDU_IDENTITY || !messages) {
        return;
    }
    seL4_Uint32 control = pci_read(messages);
    pci_write(messages + 4, APIC_MESSAGES);
    if (control & MESSAGES_64_BITS) {
        pci_write(messages + 8, 0);
        pci_write(messages + 12, (seL4_Uint32)vector);
    } else {
        pci_write(messages + 8, (seL4_Uint32)vector);
    }
    pci_write(PCI_BASE_ADDRESS, EDU_PADDR);
    pci_write(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    pci_write(messages, control | MESSAGES_ENABLE);
}

void edu_send(void)
{
    volatile seL4_Uint32 *registers = (volatile seL4_Uint32 *)edu_base;
    registers[EDU_RAISE] = 1;
    registers[EDU_ACKNOWLEDGE] = 1;
}
