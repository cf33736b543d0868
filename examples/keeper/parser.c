/* Parses lines, the second of which overflows its table. */

#include <microkit.h>

#define WORDS 8
#define BAD_LINE 2

/* Set by the tool. */
seL4_Word settings;

static volatile seL4_Word table[WORDS] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static volatile seL4_Word lines;

static seL4_Bool is_as_built(void)
{
    seL4_Bool equal = lines == 0;
    for (seL4_Word i = 0; i < WORDS; i++) {
        equal &= table[i] == i + 1;
    }
    return equal;
}

/* Writes from this address until the memory ends. */
static void overrun(volatile seL4_Word *word)
{
    /* Hides the start from the compiler, which would otherwise detect the overflow. */
    __asm__ volatile ("" : "+r"(word));
    for (;;) {
        *word++ = 0xbad;
    }
}

void init(void)
{
    microkit_dbg_puts(is_as_built() ? "parser: I start, and my data is as it was built\n"
                                    : "parser: I start, and somebody has been at my data\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
    lines++;
    if (lines == BAD_LINE) {
        microkit_dbg_puts("parser: a line that is too long\n");
        /* Other programs read this region, and a reset does not restore it. */
        *(volatile seL4_Word *)settings = 0xbad;
        overrun(table);
    }
    microkit_dbg_puts("parser: a line\n");
}
