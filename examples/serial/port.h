/* The interface of a serial port. Each kind of port has a file, port_KIND.c. */
#ifndef SERIAL_PORT_H
#define SERIAL_PORT_H

/* Interrupt sources of the port, as bits. */
enum port_interrupt {
    /* A byte has arrived. */
    PORT_RECEIVED = 1,
    /* The transmitter has room. */
    PORT_ROOM = 2,
};

/* Initialises the port with interrupts disabled. */
void port_start(void);

/* Sets the enabled interrupt sources. */
void port_interrupt_for(unsigned interrupts);

/* Acknowledges an interrupt at the port, before the driver handles it. */
void port_interrupted(void);

/* True while the port still asserts its interrupt. The driver of an edge-triggered line must continue until it is false. */
int port_interrupts(void);

/* The least number of bytes that can be sent. If it is 0, an interrupt for room will follow. */
unsigned port_room(void);

/* Sends a byte. The port must have room for it. */
void port_put(char byte);

/* Returns the next received byte, or -1. */
int port_take(void);

#endif /* SERIAL_PORT_H */
