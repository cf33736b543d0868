/* The parent of programs that misuse the later interface: the address of the fault tells how. */

#include <microkit.h>
#include "misuse.h"
#include "test.h"

static seL4_Word address;

static void a_call_before_init_faults_at_5(void)
{
    CHECK_EQUAL(address, 0x5);
}

static void a_wait_in_the_root_faults_at_18(void)
{
    CHECK_EQUAL(address, 0x18);
}

static void to_destroy_the_root_faults_at_3(void)
{
    CHECK_EQUAL(address, 0x3);
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    microkit_notify(EARLY);
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply)
{
    (void)msginfo;
    (void)reply;
    address = microkit_mr_get(seL4_VMFault_Addr);
    if (child == EARLY) {
        RUN(a_call_before_init_faults_at_5);
        microkit_notify(WAITING);
    } else if (child == WAITING) {
        RUN(a_wait_in_the_root_faults_at_18);
        microkit_notify(DESTROYING);
    } else {
        RUN(to_destroy_the_root_faults_at_3);
        suite_end();
    }
    return seL4_False;
}
