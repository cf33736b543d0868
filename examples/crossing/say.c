#include "say.h"
#include "port.h"

#define DIGITS 20

void say_start(void)
{
    port_start();
}

static void say_character(char character)
{
    while (!port_room()) {
    }
    port_put(character);
}

void say(const char *text)
{
    while (*text) {
        say_character(*text++);
    }
}

void say_repeated(char character, seL4_Word times)
{
    while (times--) {
        say_character(character);
    }
}

static seL4_Word length_of(const char *text)
{
    seL4_Word length = 0;
    while (text[length]) {
        length++;
    }
    return length;
}

void say_left(const char *text, seL4_Word width)
{
    seL4_Word length = length_of(text);
    say(text);
    say_repeated(' ', length < width ? width - length : 0);
}

void say_number(seL4_Word number, seL4_Word width)
{
    char digits[DIGITS + 1];
    seL4_Word first = DIGITS;
    digits[DIGITS] = '\0';
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    seL4_Word length = DIGITS - first;
    say_repeated(' ', length < width ? width - length : 0);
    say(digits + first);
}
