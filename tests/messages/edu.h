/* QEMU's PCI device for teaching: it interrupts when it is told to. Source: QEMU, docs/specs/edu. */
#ifndef TESTS_MESSAGES_EDU_H
#define TESTS_MESSAGES_EDU_H

#include <microkit.h>

/* Gives the device its place and makes it send messages with this vector of the processor. */
void edu_start(seL4_Word vector);

/* The device sends a message. */
void edu_send(void);

#endif /* TESTS_MESSAGES_EDU_H */
