/* Printing through the UART program, from any program with a channel to it. */
#ifndef TESTS_PRINT_H
#define TESTS_PRINT_H

#include "uart_protocol.h"

/* Sends text that ends with a line end, with a label for its kind. */
void print_as(enum uart_request request, const char *text);

void print(const char *text);

#endif /* TESTS_PRINT_H */
