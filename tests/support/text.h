/* Text assembled in a buffer of fixed size; excess text is cut off. */
#ifndef TESTS_TEXT_H
#define TESTS_TEXT_H

#include <sel4/sel4.h>

struct text {
    seL4_Word length;
    char bytes[512];
};

#define TEXT_EMPTY { 0, { 0 } }

void text_add(struct text *text, const char *more);
void text_add_decimal(struct text *text, seL4_Word number);

/* With 0x in front and no leading zeros. */
void text_add_hexadecimal(struct text *text, seL4_Word number);

/* A number of hundredths, as in 12.07. */
void text_add_hundredths(struct text *text, seL4_Word hundredths);

/* The text as a C string, valid until the next change. */
const char *text_terminated(struct text *text);

#endif /* TESTS_TEXT_H */
