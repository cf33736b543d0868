/* Sends lines to the console: text in shared memory, its length in a protected call.
 *
 * The page is shared with the console only, so no other program can read or change the text. */

#include <microkit.h>

#include "say.h"

/* Every program of the tour has the console on this channel. */
#define CONSOLE 0
#define LONGEST_LINE 4096

/* The page shared with the console; the tool sets its address (setvar_vaddr). */
char *text;

static unsigned long length;

static void add_character(char character)
{
    if (length < LONGEST_LINE) {
        text[length++] = character;
    }
}

static void add_text(const char *more)
{
    while (*more) {
        add_character(*more++);
    }
}

static void add_number(unsigned long number)
{
    if (number >= 10) {
        add_number(number / 10);
    }
    add_character((char)('0' + number % 10));
}

/* microkit_name has no terminator if the name fills it. */
static void add_name(void)
{
    for (int i = 0; i < MICROKIT_PD_NAME_LENGTH && microkit_name[i]; i++) {
        add_character(microkit_name[i]);
    }
    add_text(": ");
}

/* The console has printed the line when the call returns, so the page is free again. */
static void print(void)
{
    microkit_mr_set(0, length);
    microkit_ppcall(CONSOLE, microkit_msginfo_new(0, 1));
    length = 0;
}

void say(const char *sentence)
{
    add_name();
    add_text(sentence);
    print();
}

void say_number(const char *before, unsigned long number, const char *after)
{
    add_name();
    add_text(before);
    add_number(number);
    add_text(after);
    print();
}

void say_plainly(const char *line)
{
    add_text(line);
    print();
}
