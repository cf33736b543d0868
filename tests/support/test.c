#include "test.h"
#include "print.h"
#include "text.h"

/* The reason that the current test failed; empty if it has not. */
static struct text reason;

static void add_place(int line)
{
    text_add(&reason, "line ");
    text_add_decimal(&reason, (seL4_Word)line);
    text_add(&reason, ": ");
}

void check(int holds, const char *condition, int line)
{
    if (holds || reason.length) {
        return;
    }
    add_place(line);
    text_add(&reason, "not true: ");
    text_add(&reason, condition);
}

void check_equal(seL4_Word got, seL4_Word wanted, const char *what, int line)
{
    if (got == wanted || reason.length) {
        return;
    }
    add_place(line);
    text_add(&reason, what);
    text_add(&reason, " is ");
    text_add_hexadecimal(&reason, got);
    text_add(&reason, ", not ");
    text_add_hexadecimal(&reason, wanted);
}

void test_run(const char *subject, const char *name, test_t test)
{
    reason.length = 0;
    test();
    struct text line = TEXT_EMPTY;
    text_add(&line, "TEST ");
    text_add(&line, subject);
    text_add(&line, *subject ? "_" : "");
    text_add(&line, name);
    text_add(&line, reason.length ? " FAIL " : " PASS");
    text_add(&line, text_terminated(&reason));
    text_add(&line, "\n");
    print_as(reason.length ? UART_FAILED : UART_PASSED, text_terminated(&line));
}

void suite_end(void)
{
    print_as(UART_END, "");
}
