/* Owns the UART and prints for the others, in every configuration.
 *
 * It runs at a priority above all other programs, so that lines never mix. It counts the reported tests; a suite that
 * reports more or fewer than `TESTS` fails. */

#include "uart_port.h"
#include "uart_protocol.h"
#include "text.h"

static seL4_Word passed;
static seL4_Word failed;

static void put_character(char character)
{
    if (character == '\n') {
        uart_put('\r');
    }
    uart_put(character);
}

static void put_text(const char *text)
{
    while (*text) {
        put_character(*text++);
    }
}

static void put_message(seL4_Word words)
{
    for (seL4_Word i = 0; i < words; i++) {
        seL4_Word word = seL4_GetMR((int)i);
        for (seL4_Word byte = 0; byte < sizeof(word); byte++) {
            char character = (char)(word >> (8 * byte));
            if (character) {
                put_character(character);
            }
        }
    }
}

static void put_sum(void)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "SUITE " SUITE_NAME " ");
    text_add_decimal(&line, passed);
    text_add(&line, " passed, ");
    text_add_decimal(&line, failed);
    text_add(&line, " failed\n");
    put_text(text_terminated(&line));
}

static void put_last_line(void)
{
    struct text line = TEXT_EMPTY;
    if (passed == SUITE_TESTS && failed == 0) {
        text_add(&line, "LIMEN|DONE\n");
    } else {
        text_add(&line, "LIMEN|FAIL ");
        text_add_decimal(&line, passed);
        text_add(&line, " of ");
        text_add_decimal(&line, SUITE_TESTS);
        text_add(&line, " tests passed, ");
        text_add_decimal(&line, failed);
        text_add(&line, " failed\n");
    }
    put_text(text_terminated(&line));
}

void init(void)
{
    uart_start();
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    put_message(microkit_msginfo_get_count(request));
    switch (microkit_msginfo_get_label(request)) {
    case UART_PASSED:
        passed++;
        break;
    case UART_FAILED:
        failed++;
        break;
    case UART_END:
        put_sum();
        put_last_line();
        break;
    default:
        break;
    }
    return microkit_msginfo_new(0, 0);
}
