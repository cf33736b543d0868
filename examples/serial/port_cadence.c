/* The serial port of the Zynq UltraScale+. Source: UG1087, UART. */

#include <microkit.h>
#include "port.h"

/* Registers, as word offsets. */
enum cadence_register {
    CADENCE_CONTROL = 0x00 / 4,
    CADENCE_ENABLE = 0x08 / 4,
    CADENCE_DISABLE = 0x0c / 4,
    CADENCE_MASK = 0x10 / 4,
    CADENCE_INTERRUPTS = 0x14 / 4,
    CADENCE_RECEIVE_MARK = 0x20 / 4,
    CADENCE_STATUS = 0x2c / 4,
    CADENCE_FIFO = 0x30 / 4,
};

#define CONTROL_ON 0x14u
#define INTERRUPT_RECEIVED (1u << 0)
#define INTERRUPT_ROOM (1u << 3)
#define STATUS_RECEIVE_EMPTY (1u << 1)
#define STATUS_TRANSMIT_FULL (1u << 4)

/* Address of the registers; set by the tool. */
volatile unsigned *uart;

void port_start(void)
{
    uart[CADENCE_DISABLE] = ~0u;
    uart[CADENCE_CONTROL] = CONTROL_ON;
    uart[CADENCE_RECEIVE_MARK] = 1;
}

void port_interrupt_for(unsigned interrupts)
{
    unsigned enabled = (interrupts & PORT_RECEIVED ? INTERRUPT_RECEIVED : 0)
                       | (interrupts & PORT_ROOM ? INTERRUPT_ROOM : 0);
    uart[CADENCE_DISABLE] = ~enabled;
    uart[CADENCE_ENABLE] = enabled;
}

/* Status bits stay set until cleared, even after their cause is gone. */
void port_interrupted(void)
{
    uart[CADENCE_INTERRUPTS] = INTERRUPT_RECEIVED | INTERRUPT_ROOM;
}

int port_interrupts(void)
{
    return (uart[CADENCE_INTERRUPTS] & uart[CADENCE_MASK]) != 0;
}

unsigned port_room(void)
{
    return uart[CADENCE_STATUS] & STATUS_TRANSMIT_FULL ? 0 : 1;
}

void port_put(char byte)
{
    uart[CADENCE_FIFO] = (unsigned char)byte;
}

int port_take(void)
{
    return uart[CADENCE_STATUS] & STATUS_RECEIVE_EMPTY ? -1 : (int)(uart[CADENCE_FIFO] & 0xff);
}
