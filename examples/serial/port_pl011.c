/* The serial port of Arm's boards. Source: ARM DDI 0183G, chapter 3. */

#include <microkit.h>
#include "port.h"

/* Registers, as word offsets. */
enum pl011_register {
    PL011_DATA = 0x00 / 4,
    PL011_FLAGS = 0x18 / 4,
    PL011_LINE_CONTROL = 0x2c / 4,
    PL011_CONTROL = 0x30 / 4,
    PL011_LEVELS = 0x34 / 4,
    PL011_MASK = 0x38 / 4,
    PL011_MASKED_STATUS = 0x40 / 4,
    PL011_CLEAR = 0x44 / 4,
};

#define FLAGS_RECEIVE_EMPTY (1u << 4)
#define FLAGS_TRANSMIT_FULL (1u << 5)
#define LINE_8_BITS_FIFO 0x70u
#define CONTROL_ON 0x301u
/* Half full, half empty. */
#define LEVELS_HALF 0x12u
#define INTERRUPT_RECEIVED (1u << 4)
#define INTERRUPT_ROOM (1u << 5)
/* Receive timeout: fewer bytes than the level have waited for a while. */
#define INTERRUPT_TIMEOUT (1u << 6)

/* Address of the registers; set by the tool. */
volatile unsigned *uart;

void port_start(void)
{
    uart[PL011_MASK] = 0;
    uart[PL011_LINE_CONTROL] = LINE_8_BITS_FIFO;
    uart[PL011_LEVELS] = LEVELS_HALF;
    uart[PL011_CONTROL] = CONTROL_ON;
}

void port_interrupt_for(unsigned interrupts)
{
    uart[PL011_MASK] = (interrupts & PORT_RECEIVED ? INTERRUPT_RECEIVED | INTERRUPT_TIMEOUT : 0)
                       | (interrupts & PORT_ROOM ? INTERRUPT_ROOM : 0);
}

void port_interrupted(void)
{
    uart[PL011_CLEAR] = INTERRUPT_ROOM | INTERRUPT_TIMEOUT;
}

int port_interrupts(void)
{
    return uart[PL011_MASKED_STATUS] != 0;
}

unsigned port_room(void)
{
    return uart[PL011_FLAGS] & FLAGS_TRANSMIT_FULL ? 0 : 1;
}

void port_put(char byte)
{
    uart[PL011_DATA] = (unsigned char)byte;
}

int port_take(void)
{
    return uart[PL011_FLAGS] & FLAGS_RECEIVE_EMPTY ? -1 : (int)(uart[PL011_DATA] & 0xff);
}
