/* QEMU's PCI device for teaching: it interrupts on command. Source: QEMU, docs/specs/edu. */
#ifndef TESTS_MESSAGES_EDU_H
#define TESTS_MESSAGES_EDU_H

#include <microkit.h>

/* Maps the device's registers and configures its messages for this processor vector. */
void edu_start(seL4_Word vector);

/* The device sends a message. */
void edu_send(void);

#endif /* TESTS_MESSAGES_EDU_H */
