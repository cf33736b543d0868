/* Variables that the tool sets in the program image. They are in .data, so that the image has bytes to patch. */

#include <microkit.h>
#include "event_loop.h"

#define PATCHED __attribute__((section(".data"), used))

PATCHED char microkit_name[MICROKIT_PD_NAME_LENGTH];
PATCHED seL4_Bool microkit_passive;
PATCHED seL4_Word microkit_irqs;
PATCHED seL4_Word microkit_notifications;
PATCHED seL4_Word microkit_pps;
PATCHED seL4_Word microkit_ioports;
