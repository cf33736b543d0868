/* What the driver needs of a serial port; there is a file for each kind, port_KIND.c. */
#ifndef SERIAL_PORT_H
#define SERIAL_PORT_H

/* What the port interrupts for, as bits. */
enum port_interrupt {
    /* A byte has arrived. */
    PORT_RECEIVED = 1,
    /* There is room for bytes. */
    PORT_ROOM = 2,
};

/* Prepares the port; it does not interrupt yet. */
void port_start(void);

/* Chooses what the port interrupts for. */
void port_interrupt_for(unsigned interrupts);

/* Takes note of an interrupt, before anything is done about it. */
void port_interrupted(void);

/* Whether the port still interrupts. A driver of a line with edges must not stop before it does not. */
int port_interrupts(void);

/* How many bytes can be sent, at least; 0 if none. With none, an interrupt for room will come. */
unsigned port_room(void);

/* Sends a byte; there is room for it. */
void port_put(char byte);

/* The next byte that has arrived, or -1. */
int port_take(void);

#endif /* SERIAL_PORT_H */
