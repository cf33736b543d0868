/* The program of highest priority: reads the counter as soon as it can.
 *
 * boot: from Limen's first instruction, without the firmware before it. Up to this read lie the loader, the kernel's start, and this
 * program's first instructions in the library. */

#include <microkit.h>
#include <limen.h>

/* Where the printer looks for the counter; set by the tool. */
seL4_Word count;

void init(void)
{
    *(volatile seL4_Word *)count = limen_counter() - limen_boot_stamp();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
