/* Text on the serial port, in every configuration: the kernel's console exists only in debug. */
#ifndef CROSSING_SAY_H
#define CROSSING_SAY_H

#include <microkit.h>

void say_start(void);
void say(const char *text);

/* Prints in a column of this many characters. */
void say_left(const char *text, seL4_Word width);
void say_number(seL4_Word number, seL4_Word width);

/* Repeats one character. */
void say_repeated(char character, seL4_Word times);

#endif /* CROSSING_SAY_H */
