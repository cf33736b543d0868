#include "print.h"

void print_as(enum uart_request request, const char *text)
{
    seL4_Word count = 0;
    while (*text && count < seL4_MsgMaxLength) {
        seL4_Word word = 0;
        for (unsigned int byte = 0; byte < sizeof(word) && *text; byte++) {
            word |= (seL4_Word)(unsigned char)*text++ << (8 * byte);
        }
        seL4_SetMR((int)count++, word);
    }
    microkit_ppcall(UART_CHANNEL, microkit_msginfo_new(request, (seL4_Uint16)count));
}

void print(const char *text)
{
    print_as(UART_PRINT, text);
}
