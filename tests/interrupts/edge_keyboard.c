/* The keyboard controller of a PC, which can simulate a byte from the mouse. Source: 8042 Keyboard
 * Controller, commands 60h and D3h. */

#include "edge.h"

/* Ids of its ports in the description, and the ports. */
#define DATA_ID 1
#define DATA 0x60
#define COMMAND_ID 2
#define COMMAND 0x64

#define STATUS_OUTPUT_FULL (1u << 0)
#define STATUS_INPUT_FULL (1u << 1)
#define COMMAND_WRITE_MODE 0x60
#define COMMAND_MOUSE_BYTE 0xd3
/* Only the mouse interrupts. */
#define MODE_MOUSE_INTERRUPTS 0x02

static seL4_Uint8 status(void)
{
    return microkit_x86_ioport_read_8(COMMAND_ID, COMMAND);
}

static void command(seL4_Uint8 which, seL4_Uint8 argument)
{
    while (status() & STATUS_INPUT_FULL) {
    }
    microkit_x86_ioport_write_8(COMMAND_ID, COMMAND, which);
    while (status() & STATUS_INPUT_FULL) {
    }
    microkit_x86_ioport_write_8(DATA_ID, DATA, argument);
}

void edge_start(void)
{
    while (status() & STATUS_OUTPUT_FULL) {
        microkit_x86_ioport_read_8(DATA_ID, DATA);
    }
    command(COMMAND_WRITE_MODE, MODE_MOUSE_INTERRUPTS);
}

void edge_raise(void)
{
    command(COMMAND_MOUSE_BYTE, 0);
}

void edge_clear(void)
{
    microkit_x86_ioport_read_8(DATA_ID, DATA);
}
