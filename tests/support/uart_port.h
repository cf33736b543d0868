/* What the UART program asks of a serial port. One file for each kind of port: uart_KIND.c. */
#ifndef TESTS_UART_PORT_H
#define TESTS_UART_PORT_H

/* Lets the port transmit. */
void uart_start(void);

/* Sends one byte, after those that are waiting. */
void uart_put(char byte);

#endif /* TESTS_UART_PORT_H */
