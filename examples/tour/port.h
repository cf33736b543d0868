/* The interface of a serial port. Each kind of port has a file, port_KIND.c. */
#ifndef TOUR_PORT_H
#define TOUR_PORT_H

/* Sends one character through the port with registers at `port`, behind pending ones. */
void port_put(char *port, char character);

#endif /* TOUR_PORT_H */
