/* Register access for the driver of the PC's serial port, through memory or I/O ports. */
#ifndef SERIAL_NS16550_ACCESS_H
#define SERIAL_NS16550_ACCESS_H

/* Registers by number. Source: PC16550D data sheet. */
enum ns16550_register {
    NS16550_DATA,
    NS16550_INTERRUPTS,
    /* Read: interrupt identification. Write: FIFO control. */
    NS16550_IDENTITY,
    NS16550_LINE_CONTROL,
    NS16550_MODEM_CONTROL,
    NS16550_LINE_STATUS,
};

unsigned char ns16550_read(enum ns16550_register which);
void ns16550_write(enum ns16550_register which, unsigned char value);

#endif /* SERIAL_NS16550_ACCESS_H */
