/* Echoes every line that is typed. */

#include "client.h"

/* Queues, set by the tool. */
struct queue *output;
struct queue *input;

/* The longest output for one input byte: a line end and the start of the next answer. */
#define LONGEST_ANSWER 8

static const char *const last_words = "quit";
/* The number of characters of `quit` that the current line matches; -1 if it differs. */
static int matched;
static int at_start = 1;

static void end_line(void)
{
    put("\r\n");
    if (matched > 0 && last_words[matched] == 0) {
        put("LIMEN|DONE\r\n");
    }
    matched = 0;
    at_start = 1;
}

static void answer(char byte)
{
    if (at_start) {
        put("> ");
        at_start = 0;
    }
    matched = matched >= 0 && last_words[matched] == byte ? matched + 1 : -1;
    queue_put(output, byte);
}

void init(void)
{
    put("shell: type something; 'quit' ends\r\n");
    microkit_notify(DRIVER);
}

/* Input has arrived, or the output queue has room again. */
void notified(microkit_channel ch)
{
    (void)ch;
    while (queue_length(input) != 0 && room() >= LONGEST_ANSWER + 12) {
        char byte = queue_take(input);
        if (byte == '\n' || byte == '\r') {
            end_line();
        } else {
            answer(byte);
        }
    }
    microkit_notify(DRIVER);
}
