/* Takes all notifications; answers those of the tester. */

#include <microkit.h>

#define TESTER 5

void init(void)
{
}

void notified(microkit_channel ch)
{
    if (ch == TESTER) {
        microkit_notify(TESTER);
    }
}
