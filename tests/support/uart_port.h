/* The interface of a serial port. Each kind of port has a file, uart_KIND.c. */
#ifndef TESTS_UART_PORT_H
#define TESTS_UART_PORT_H

/* Enables the transmitter. */
void uart_start(void);

/* Sends one byte, behind pending ones. */
void uart_put(char byte);

#endif /* TESTS_UART_PORT_H */
