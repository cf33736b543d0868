/* What the console needs of a serial port; there is a file for each kind, port_KIND.c. */
#ifndef TOUR_PORT_H
#define TOUR_PORT_H

/* Sends one character through the port with its registers at `port`, after those that are waiting. */
void port_put(char *port, char character);

#endif /* TOUR_PORT_H */
