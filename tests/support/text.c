#include "text.h"

#define LAST (sizeof(((struct text *)0)->bytes) - 1)

static void add_byte(struct text *text, char byte)
{
    if (text->length < LAST) {
        text->bytes[text->length++] = byte;
    }
}

void text_add(struct text *text, const char *more)
{
    while (*more) {
        add_byte(text, *more++);
    }
}

static void add_number(struct text *text, seL4_Word number, seL4_Word base)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    while (count) {
        add_byte(text, digits[--count]);
    }
}

void text_add_decimal(struct text *text, seL4_Word number)
{
    add_number(text, number, 10);
}

void text_add_hexadecimal(struct text *text, seL4_Word number)
{
    text_add(text, "0x");
    add_number(text, number, 16);
}

void text_add_hundredths(struct text *text, seL4_Word hundredths)
{
    text_add_decimal(text, hundredths / 100);
    add_byte(text, '.');
    add_number(text, hundredths / 10 % 10, 10);
    add_number(text, hundredths % 10, 10);
}

const char *text_terminated(struct text *text)
{
    text->bytes[text->length] = '\0';
    return text->bytes;
}
