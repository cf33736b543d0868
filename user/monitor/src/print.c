/* Names and hexadecimal numbers on the debug console. */

#include "monitor.h"

void print_name(const char name[MICROKIT_PD_NAME_LENGTH])
{
    for (int i = 0; i < MICROKIT_PD_NAME_LENGTH && name[i]; i++) {
        microkit_dbg_putc(name[i]);
    }
}

static void print_hex(const char *text, seL4_Word value, int digits)
{
    microkit_dbg_puts(text);
    microkit_dbg_puts("0x");
    while (digits--) {
        microkit_dbg_putc("0123456789abcdef"[(value >> (4 * digits)) & 0xf]);
    }
}

void print_number(const char *text, seL4_Word value, seL4_Word base)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    microkit_dbg_puts(text);
    while (count) {
        microkit_dbg_putc(digits[--count]);
    }
}

void print_half(const char *text, seL4_Word value)
{
    print_hex(text, value, 8);
}

void print_word(const char *text, seL4_Word value)
{
    print_hex(text, value, 16);
}
