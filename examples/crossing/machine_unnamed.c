#include "device_tree.h"
#include "machine.h"
#include "say.h"

/* Programs cannot read what identifies the processor, and no instruction shows a hypervisor or an emulator, but the
 * device tree may name the machine. */
void say_processor(void)
{
    const char *model = device_tree_model();
    say("unknown");
    if (model) {
        say(", in ");
        say(model);
    }
}

void say_platform(void)
{
    say("unknown");
}
