/* Owns the UART and prints for the others, in every configuration.
 *
 * It runs at a priority above all other programs, so that lines never mix. It counts the tests that programs report:
 * a suite that reports more or fewer than it has fails. */

#include "uart_protocol.h"
#include "text.h"

/* Registers of the PL011, as word offsets. Source: ARM DDI 0183G, chapter 3. */
enum pl011_register {
    PL011_DATA = 0x00 / 4,
    PL011_FLAGS = 0x18 / 4,
    PL011_LINE_CONTROL = 0x2c / 4,
    PL011_CONTROL = 0x30 / 4,
};

#define PL011_FLAGS_TRANSMIT_FULL (1u << 5)
#define PL011_LINE_8_BITS_FIFO 0x70u
#define PL011_CONTROL_TRANSMIT 0x101u

/* Where the registers are mapped; set by the tool. */
seL4_Word uart_base;

static seL4_Word passed;
static seL4_Word failed;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)uart_base;
}

static void put_byte(char byte)
{
    while (registers()[PL011_FLAGS] & PL011_FLAGS_TRANSMIT_FULL) {
    }
    registers()[PL011_DATA] = (seL4_Uint8)byte;
}

static void put_character(char character)
{
    if (character == '\n') {
        put_byte('\r');
    }
    put_byte(character);
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
    registers()[PL011_LINE_CONTROL] = PL011_LINE_8_BITS_FIFO;
    registers()[PL011_CONTROL] = PL011_CONTROL_TRANSMIT;
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
