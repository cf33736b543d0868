/* The serial port of SiFive's boards. Source: SiFive FU540-C000 Manual, UART. */

#include <microkit.h>
#include "port.h"

/* Registers, as word offsets. */
enum sifive_register {
    SIFIVE_TRANSMIT = 0x00 / 4,
    SIFIVE_RECEIVE = 0x04 / 4,
    SIFIVE_TRANSMIT_CONTROL = 0x08 / 4,
    SIFIVE_RECEIVE_CONTROL = 0x0c / 4,
    SIFIVE_INTERRUPTS = 0x10 / 4,
    SIFIVE_PENDING = 0x14 / 4,
};

#define TRANSMIT_FULL (1u << 31)
#define RECEIVE_EMPTY (1u << 31)
/* Enable, with watermarks: interrupt when fewer bytes than this wait to be sent, or when any byte has arrived. */
#define TRANSMIT_ON_BELOW_1 0x10001u
#define RECEIVE_ON_ABOVE_0 0x00001u
#define INTERRUPT_ROOM (1u << 0)
#define INTERRUPT_RECEIVED (1u << 1)

/* Address of the registers; set by the tool. */
volatile unsigned *uart;

/* Enabled interrupt sources. */
static unsigned interrupts_on;

void port_start(void)
{
    uart[SIFIVE_INTERRUPTS] = 0;
    uart[SIFIVE_TRANSMIT_CONTROL] = TRANSMIT_ON_BELOW_1;
    uart[SIFIVE_RECEIVE_CONTROL] = RECEIVE_ON_ABOVE_0;
}

void port_interrupt_for(unsigned interrupts)
{
    interrupts_on = (interrupts & PORT_RECEIVED ? INTERRUPT_RECEIVED : 0)
                    | (interrupts & PORT_ROOM ? INTERRUPT_ROOM : 0);
    uart[SIFIVE_INTERRUPTS] = interrupts_on;
}

void port_interrupted(void)
{
}

int port_interrupts(void)
{
    return (uart[SIFIVE_PENDING] & interrupts_on) != 0;
}

unsigned port_room(void)
{
    return uart[SIFIVE_TRANSMIT] & TRANSMIT_FULL ? 0 : 1;
}

void port_put(char byte)
{
    uart[SIFIVE_TRANSMIT] = (unsigned char)byte;
}

int port_take(void)
{
    unsigned received = uart[SIFIVE_RECEIVE];
    return received & RECEIVE_EMPTY ? -1 : (int)(received & 0xff);
}
