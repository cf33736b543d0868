/* The interface of the UART program: a protected call whose words are the bytes of whole lines. */
#ifndef TESTS_UART_PROTOCOL_H
#define TESTS_UART_PROTOCOL_H

#include <microkit.h>

/* The channel to the UART program, the same in every program that prints. */
#define UART_CHANNEL 30

/* Labels: the kind of text. */
enum uart_request {
    /* Uninterpreted text, padded with zero bytes. */
    UART_PRINT,
    /* The line of a test that passed. */
    UART_PASSED,
    /* The line of a test that failed. */
    UART_FAILED,
    /* No text: the suite is over. */
    UART_END,
};

#endif /* TESTS_UART_PROTOCOL_H */
