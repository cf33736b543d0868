/* Asks the secure monitor about itself. Source: Power State Coordination Interface (Arm DEN 0022). */

#include "test.h"

#define PSCI_VERSION 0x84000000
#define PSCI_FEATURES 0x8400000a
#define NOTHING_KNOWN 0x8400ffff
#define NOT_SUPPORTED (~0ul)

static seL4_Word call(seL4_Word function, seL4_Word argument)
{
    seL4_ARM_SMCContext request = { function, argument, 2, 3, 4, 5, 6, 7 }, answer;
    microkit_arm_smc_call(&request, &answer);
    return answer.x0;
}

static void the_monitor_has_a_version(void)
{
    seL4_Word version = call(PSCI_VERSION, 0);
    CHECK(version >= 0x10000 || version == 2);
    CHECK(version < 0x100000);
}

static void unknown_monitor_functions_are_not_supported(void)
{
    CHECK_EQUAL(call(NOTHING_KNOWN, 0) | 0xffffffff00000000, NOT_SUPPORTED);
    CHECK_EQUAL(call(PSCI_FEATURES, NOTHING_KNOWN) | 0xffffffff00000000, NOT_SUPPORTED);
}

static void other_methods_are_illegal(void)
{
    CHECK_EQUAL(limen_invoke_plain(ARM_SMC_CAP, TCBSuspend, 0), seL4_IllegalOperation);
    CHECK_EQUAL(limen_invoke_plain(ARM_SMC_CAP, ARMSMCCall, 0), seL4_TruncatedMessage);
}

void init(void)
{
    RUN(the_monitor_has_a_version);
    RUN(unknown_monitor_functions_are_not_supported);
    RUN(other_methods_are_illegal);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
