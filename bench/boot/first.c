/* The highest-priority program: reads the counter as early as possible.
 *
 * boot: from Limen's first instruction, without the firmware before it, to this read. In between run the loader, the
 * kernel's boot code, and this program's first instructions in the library. */

#include <microkit.h>
#include <limen.h>

/* The counter value for the printer; set by the tool. */
seL4_Word count;

void init(void)
{
    *(volatile seL4_Word *)count = limen_counter() - limen_boot_stamp();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
