/* Serves a device whose interrupts seal. */

#include "figures.h"
#include "moment.h"
#include "user.h"

seL4_Word shared_page;

void init(void)
{
    use_fpu();
    shared()->device = moment_start();
    moment_clear();
}

void notified(microkit_channel ch)
{
    landed();
    moment_clear();
    microkit_irq_ack(ch);
}
