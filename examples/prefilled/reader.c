/* Prints the file that the tool has put into its memory, and checks for a device tree. */

#include <microkit.h>

/* Set by the tool. */
seL4_Word settings;
seL4_Word settings_bytes;
seL4_Word device_tree;

void init(void)
{
    microkit_dbg_puts("reader: my settings are\n");
    for (seL4_Word i = 0; i < settings_bytes; i++) {
        microkit_dbg_putc(((const char *)settings)[i]);
    }
    const seL4_BootInfoHeader *header = (const seL4_BootInfoHeader *)device_tree;
    if (header->id == SEL4_BOOTINFO_HEADER_FDT) {
        microkit_dbg_puts("reader: the device tree has ");
        microkit_dbg_put32((seL4_Uint32)(header->len - sizeof(*header)));
        microkit_dbg_puts(" bytes\n");
    } else {
        microkit_dbg_puts("reader: there is no device tree\n");
    }
    microkit_dbg_puts("LIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
