/* Output on the debug console. */

#include <microkit.h>

#if defined(CONFIG_PRINTING)

void microkit_dbg_putc(int c)
{
    seL4_DebugPutChar((char)c);
}

void microkit_dbg_puts(const char *s)
{
    while (*s) {
        seL4_DebugPutChar(*s++);
    }
}

void microkit_dbg_put32(seL4_Uint32 x)
{
    char digits[sizeof("4294967295")];
    char *first = &digits[sizeof(digits) - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + x % 10);
        x /= 10;
    } while (x);
    microkit_dbg_puts(first);
}

#else

void microkit_dbg_putc(int c)
{
    (void)c;
}

void microkit_dbg_puts(const char *s)
{
    (void)s;
}

void microkit_dbg_put32(seL4_Uint32 x)
{
    (void)x;
}

#endif

void microkit_dbg_put8(seL4_Uint8 x)
{
    microkit_dbg_put32(x);
}
